#include "arbiter/cmd.h"
#include "games/game.h"

#include <stdio.h>

int cmd_games(int argc, char **argv)
{
	(void)argc, (void)argv;
	for (int i = 0; game_list[i]; i++)
		printf("%-16s %s\n", game_list[i]->id, game_list[i]->title);
	return EXIT_OK;
}
