// A Pigpen bot. Every line on stdin is a message of the arbiter's as JSON, every line on
// stdout is one of ours (specs/bridge.md, specs/protocol.md). Print what you like to
// stderr.
package main

import (
	"encoding/json"
	"io"
	"log"
	"math/rand"
	"os"
	"strconv"
)

// What the arbiter says; each type of message has some of these keys.
type message struct {
	T     string
	Match int64
	Turn  int64
	Game  string
	Rng   struct{ Bin string }
	View  map[string]interface{}   // all that you may know
	Legal []map[string]interface{} // all that you may do
}

type action struct {
	T      string `json:"t"`
	Match  int64  `json:"match"`
	Turn   int64  `json:"turn"`
	Choice int    `json:"choice"`
}

type ready struct {
	T     string `json:"t"`
	Match int64  `json:"match"`
}

// choose returns the index of the action to take.
func choose(game string, act *message, random *rand.Rand) int {
	var choices []int
	for i, legal := range act.Legal {
		// One idea for a start: a card that is played is better than one thrown away.
		if game == "dirty_pig" && legal["a"] == "play" {
			choices = append(choices, i)
		}
	}
	if len(choices) == 0 {
		return random.Intn(len(act.Legal))
	}
	return choices[random.Intn(len(choices))]
}

func main() {
	in := json.NewDecoder(os.Stdin)
	out := json.NewEncoder(os.Stdout) // writes a line at once, without a buffer
	var game string
	var random *rand.Rand
	for {
		var m message
		if err := in.Decode(&m); err == io.EOF {
			return
		} else if err != nil {
			log.Fatal(err)
		}
		switch m.T {
		case "match":
			game = m.Game
			// A seed for this match: a bot that uses no other randomness plays it again
			// the same way.
			seed, _ := strconv.ParseUint(m.Rng.Bin[:16], 16, 64)
			random = rand.New(rand.NewSource(int64(seed)))
			out.Encode(ready{"ready", m.Match})
		case "act":
			out.Encode(action{"action", m.Match, m.Turn, choose(game, &m, random)})
		case "bye":
			return
		}
	}
}
