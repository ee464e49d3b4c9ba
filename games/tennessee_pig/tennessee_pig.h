/*
 * Tennessee Pig: the state, for bots that read a typed view.
 *
 * A card is suit * 13 + rank with the suits S H D C and the ranks 2..9 T J Q K A, the
 * joker is 52; so the suit of the same colour is 3 - suit, and a hand is a set of 53
 * bits. specs/games/tennessee_pig.md says what each member means and who sees it.
 */
#ifndef GAMES_TENNESSEE_PIG_TENNESSEE_PIG_H
#define GAMES_TENNESSEE_PIG_TENNESSEE_PIG_H

#include "games/game.h"

enum {
	TENNESSEE_SEATS = 4,
	TENNESSEE_TEAMS = 2,
	TENNESSEE_CARDS = 53,
	TENNESSEE_RANKS = 13,
	TENNESSEE_SUITS = 4,
	TENNESSEE_JOKER = 52,
	TENNESSEE_DEALT = 9,
	TENNESSEE_HAND = 6,
	TENNESSEE_TRICKS = 6,
	TENNESSEE_BID_MIN = 7,
	TENNESSEE_BID_SINGLE_MAX = 16,
	TENNESSEE_BID_MAX = 32,
};

enum tennessee_rank {
	TENNESSEE_TWO,
	TENNESSEE_THREE,
	TENNESSEE_FOUR,
	TENNESSEE_FIVE,
	TENNESSEE_SIX,
	TENNESSEE_SEVEN,
	TENNESSEE_EIGHT,
	TENNESSEE_NINE,
	TENNESSEE_TEN,
	TENNESSEE_JACK,
	TENNESSEE_QUEEN,
	TENNESSEE_KING,
	TENNESSEE_ACE
};

enum tennessee_phase {
	TENNESSEE_DRAW,
	TENNESSEE_DEAL,
	TENNESSEE_CUT,
	TENNESSEE_BID,
	TENNESSEE_TRUMP,
	TENNESSEE_FILL,
	TENNESSEE_BURN,
	TENNESSEE_PLAY,
	TENNESSEE_OVER
};

enum tennessee_verb {
	TENNESSEE_VERB_CUT,
	TENNESSEE_VERB_BID,
	TENNESSEE_VERB_PASS,
	TENNESSEE_VERB_TRUMP,
	TENNESSEE_VERB_BURN,
	TENNESSEE_VERB_PLAY,
	TENNESSEE_VERB_FOLD,
	TENNESSEE_VERBS
};

enum tennessee_option {
	TENNESSEE_OPTION_TARGET = OPTIONS_COMMON,
	TENNESSEE_OPTION_CUT,
	TENNESSEE_OPTION_LOOKBACK,
	TENNESSEE_OPTION_GAMES,
	TENNESSEE_OPTION_MAX_HANDS,
	TENNESSEE_OPTIONS
};

enum { TENNESSEE_CUT_AUTO, TENNESSEE_CUT_ASK };
enum { TENNESSEE_LOOKBACK_CATCHER, TENNESSEE_LOOKBACK_ALL };

enum tennessee_event {
	TENNESSEE_EVENT_DRAW,
	TENNESSEE_EVENT_DEAL,
	TENNESSEE_EVENT_CUT,
	TENNESSEE_EVENT_BID,
	TENNESSEE_EVENT_SKIP,
	TENNESSEE_EVENT_TRUMP,
	TENNESSEE_EVENT_LOSE,
	TENNESSEE_EVENT_SHUFFLE,
	TENNESSEE_EVENT_TAKE,
	TENNESSEE_EVENT_DECLARE,
	TENNESSEE_EVENT_BURN,
	TENNESSEE_EVENT_PLAY,
	TENNESSEE_EVENT_FOLD,
	TENNESSEE_EVENT_TRICK,
	TENNESSEE_EVENT_PENALTY,
	TENNESSEE_EVENT_SCORE,
	TENNESSEE_EVENT_ROUND,
	TENNESSEE_EVENT_GUARD,
	TENNESSEE_EVENT_GAME,
	TENNESSEE_EVENT_MATCH,
	TENNESSEE_EVENTS
};

/* Values of `trump`: 0, or 1 + suit. */
enum { TENNESSEE_NO_TRUMP };

/* Values of `winner`: nobody yet, 1 + team, or a draw. */
enum { TENNESSEE_NO_WINNER, TENNESSEE_DRAWN = 1 + TENNESSEE_TEAMS };

/* Values of `ended`: how the last game was decided. */
enum tennessee_end {
	TENNESSEE_NOT_ENDED,
	TENNESSEE_BY_TARGET,
	TENNESSEE_BY_MINUS,
	TENNESSEE_BY_GUARD
};

/* What belongs to one hand; cleared when the next order is drawn. */
struct tennessee_hand {
	uint64_t hand[TENNESSEE_SEATS];
	uint64_t received[TENNESSEE_SEATS]; /* cards of the hand that are not of the nine
					     */
	uint64_t discards[TENNESSEE_SEATS]; /* trash thrown or burned, face down */
	uint64_t burning[TENNESSEE_SEATS];  /* laid aside in this burn, unannounced */
	uint64_t burned[TENNESSEE_SEATS];   /* trumps, announced */
	uint64_t folded[TENNESSEE_SEATS];
	uint64_t played; /* by all, in this hand, the trick on the table included */
	uint16_t passed;
	uint16_t live; /* seats that have not folded */
	uint8_t bids[TENNESSEE_SEATS];
	uint8_t bid; /* highest so far, 0: none */
	uint8_t trump;
	uint8_t hand_count[TENNESSEE_SEATS]; /* in a burn as before it */
	uint8_t thrown[TENNESSEE_SEATS];     /* trash of the nine */
	uint8_t filled[TENNESSEE_SEATS];     /* cards dealt up to six */
	uint8_t leftover;                    /* cards that went to the bidder */
	uint8_t burned_trash[TENNESSEE_SEATS];
	/* How many cards of the hand are by public knowledge trumps of the nine, and
	 * how many are trash from the reshuffled discards. */
	uint8_t sure_trumps[TENNESSEE_SEATS];
	uint8_t sure_trash[TENNESSEE_SEATS];
	uint8_t caught[TENNESSEE_TEAMS]; /* points in caught tricks */
	uint8_t tricks;                  /* finished */
	uint8_t stock_count;
	bool reshuffled;
	bool silent[TENNESSEE_SEATS]; /* burned a trump without telling */
	/* From here on blank is 0xff. */
	uint8_t bidder;
	uint8_t point; /* the card that is worth the sixteenth point */
	uint8_t leader;
	uint8_t trick[TENNESSEE_SEATS];
	uint8_t catcher[TENNESSEE_TRICKS];
	uint8_t past[TENNESSEE_TRICKS][TENNESSEE_SEATS];
	uint8_t stock[TENNESSEE_CARDS]; /* top last */
};

struct tennessee_pig {
	struct game_head head;
	struct tennessee_hand now;
	uint16_t draws, deals, shuffles; /* orders drawn in the match */
	uint16_t hands;                  /* begun in this game */
	int16_t score[TENNESSEE_TEAMS];
	uint8_t games_won[TENNESSEE_TEAMS];
	uint8_t games_played;
	uint8_t winner;
	uint8_t ended;
	uint8_t dealer;
	uint16_t drawing; /* seats that draw for the deal */
};

extern const struct game tennessee_pig_game;

#endif
