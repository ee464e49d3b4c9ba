/*
 * Pig It Hog It: four seats in two partnerships, 24 cards, bids for tricks in high,
 * low or a trump suit. specs/games/pig_it_hog_it.md has the rules (PIHI-n.n).
 *
 * The struct is open so that C bots can read a typed view: a view has the same
 * layout, with blanks for what its seat may not know.
 */
#ifndef GAMES_PIG_IT_HOG_IT_PIG_IT_HOG_IT_H
#define GAMES_PIG_IT_HOG_IT_PIG_IT_HOG_IT_H

#include "games/game.h"

extern const struct game pig_it_hog_it_game;

#define PIHI_SEATS 4
#define PIHI_CARDS 24
#define PIHI_HAND  6

/* A face is suit * 6 + rank. Suits of one colour are s and s ^ 3. */
enum pihi_suit { PIHI_SPADES, PIHI_HEARTS, PIHI_DIAMONDS, PIHI_CLUBS };
enum pihi_rank { PIHI_9, PIHI_T, PIHI_J, PIHI_Q, PIHI_K, PIHI_A, PIHI_RANKS };

enum pihi_phase {
	PIHI_PHASE_FIRST,    /* chance: who deals first */
	PIHI_PHASE_PARTNERS, /* chance: the jacks make the partnerships */
	PIHI_PHASE_DEAL,     /* chance */
	PIHI_PHASE_BID,
	PIHI_PHASE_DECLARE,
	PIHI_PHASE_EXCHANGE, /* bidder and partner at once */
	PIHI_PHASE_PLAY,
	PIHI_PHASE_OVER
};

enum pihi_option {
	PIHI_PARTNERS = OPTIONS_COMMON,
	PIHI_FIRST_DEALER,
	PIHI_TARGET,
	PIHI_GAMES,
	PIHI_ALL_PASS,
	PIHI_SUIT_IN_BID,
	PIHI_HOG_PARTNER,
	PIHI_DEFENDERS_SCORE,
	PIHI_REVOKE_SETS,
	PIHI_MAX_ROUNDS,
	PIHI_OPTIONS
};
enum pihi_partners { PIHI_PARTNERS_FIXED, PIHI_PARTNERS_JACKS };
enum pihi_all_pass { PIHI_ALL_PASS_NEXT, PIHI_ALL_PASS_REDEAL, PIHI_ALL_PASS_DEALER };
enum pihi_hog_partner { PIHI_HOG_PARTNER_OUT, PIHI_HOG_PARTNER_PLAYS };

/* bid {k, n}: arg[0] enum pihi_kind, arg[1] the number or ABSENT. pass {}.
 * declare {m}: enum pihi_mode - PIHI_HIGH. give {card}. play {card}. */
enum pihi_verb { PIHI_BID, PIHI_PASS, PIHI_DECLARE, PIHI_GIVE, PIHI_PLAY, PIHI_VERBS };

/* The `k` of a bid. */
enum pihi_kind {
	PIHI_KIND_HIGH,
	PIHI_KIND_LOW,
	PIHI_KIND_SUIT, /* the suit is named after the bidding */
	PIHI_KIND_S,    /* these four only if suit_in_bid */
	PIHI_KIND_H,
	PIHI_KIND_D,
	PIHI_KIND_C,
	PIHI_KIND_PIG,
	PIHI_KIND_HOG
};

/* What a seat said in the bidding: a kind shifted by PIHI_CALL_KIND, or these. */
enum pihi_call { PIHI_CALL_NONE, PIHI_CALL_PASS, PIHI_CALL_KIND };

/* The ladder: 0 nobody has bid, 1..6 a number, then these. */
enum pihi_level { PIHI_LEVEL_PIG = 7, PIHI_LEVEL_HOG = 8 };

/* How the cards rank in this round. A trump suit is PIHI_TRUMP + suit. */
enum pihi_mode { PIHI_UNDECLARED, PIHI_HIGH, PIHI_LOW, PIHI_TRUMP };

enum pihi_event {
	PIHI_EVENT_DRAW,
	PIHI_EVENT_MOVE,
	PIHI_EVENT_ROUND,
	PIHI_EVENT_DEAL,
	PIHI_EVENT_BID,
	PIHI_EVENT_DECLARE,
	PIHI_EVENT_GIVE,
	PIHI_EVENT_PLAY,
	PIHI_EVENT_TRICK,
	PIHI_EVENT_PENALTY,
	PIHI_EVENT_SCORE,
	PIHI_EVENT_GUARD,
	PIHI_EVENT_GAME,
	PIHI_EVENT_MATCH,
	PIHI_EVENTS
};

/*
 * Arrays of four are by seat, arrays of two by team; the team of a seat is its table
 * position modulo 2. Card sets have a bit for each face.
 */
struct pig_it_hog_it {
	struct game_head head;
	uint32_t hand[4];     /* the owner's */
	uint32_t played[4];   /* in this round, the current trick included */
	int32_t aggregate[2]; /* points of the finished games */
	int16_t score[2];     /* of this game */
	uint16_t deals;       /* dealt in this match */
	uint16_t round;       /* dealt in this game: 1 is the first */
	uint16_t draws;       /* orders used up by the draw for partners */
	uint8_t order[4];     /* table position -> seat */
	uint8_t position[4];  /* seat -> table position */
	uint8_t call[4];      /* enum pihi_call */
	uint8_t call_n[4];    /* number of a number bid, else 0 */
	uint8_t hand_count[4];
	uint8_t given[4];    /* pig: the card the seat gave; the owner's */
	uint8_t received[4]; /* pig: the card it got; the owner's */
	uint8_t trick[4];    /* cards of the current trick */
	uint8_t tricks[4];   /* tricks won in this round */
	uint8_t voids[4];    /* suits a seat has failed to follow, a bit for each suit */
	uint8_t games_won[2];
	uint8_t games_played;
	uint8_t thrown_in; /* deals in a row that everybody passed */
	uint8_t dealer;
	uint8_t bidder;   /* highest so far, in the end the winner */
	uint8_t level;    /* of the highest bid: enum pihi_level */
	uint8_t declared; /* enum pihi_mode */
	uint8_t leader;   /* of the current trick */
	uint8_t winning;  /* who would take the current trick now */
};

#endif
