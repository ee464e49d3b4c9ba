//! A Pigpen bot: `choose` decides, the rest is the protocol (specs/protocol.md).
use serde_derive::{Deserialize, Serialize};
use serde_json::Value;
use std::env;
use std::error::Error;

/// What the arbiter says; each type of message has some of these keys.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Message {
    t: String,
    #[serde(rename = "match")]
    number: Option<u64>,
    turn: u64,
    game: String,
    rng: serde_bytes::ByteBuf,
    /// All that you may know.
    view: Value,
    /// All that you may do.
    legal: Vec<Value>,
    code: String,
    why: String,
}

#[derive(Serialize)]
struct Hello<'a> {
    t: &'a str,
    v: [u8; 1],
    token: &'a str,
    name: &'a str,
    version: &'a str,
    lang: &'a str,
}

#[derive(Serialize)]
struct Ready<'a> {
    t: &'a str,
    #[serde(rename = "match")]
    number: u64,
}

#[derive(Serialize)]
struct Action<'a> {
    t: &'a str,
    #[serde(rename = "match")]
    number: u64,
    turn: u64,
    choice: usize,
}

/// A small generator (xorshift), seeded by the arbiter for each match: a bot that uses no
/// other randomness plays it again the same way.
struct Chance(u64);

impl Chance {
    fn new(seed: &[u8]) -> Chance {
        Chance(seed.iter().take(8).fold(0, |n, byte| n << 8 | u64::from(*byte)) | 1)
    }

    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}

/// The index of the action to take.
fn choose(game: &str, act: &Message, chance: &mut Chance) -> usize {
    // act.view["me"]["hand"], act.view["pub"]["pigs"] … are described in specs/games.
    let _view = &act.view;
    let mut choices: Vec<usize> = (0..act.legal.len()).collect();
    if game == "dirty_pig" && act.legal.iter().any(|action| action["a"] == "play") {
        // One idea for a start: a card that is played is better than one thrown away.
        choices.retain(|i| act.legal[*i]["a"] == "play");
    }
    choices[chance.below(choices.len())]
}

fn main() -> Result<(), Box<dyn Error>> {
    let context = zmq::Context::new();
    let socket = context.socket(zmq::DEALER)?;
    socket.connect(&env::var("PIGPEN_ENDPOINT")?)?;
    let hello = Hello {
        t: "hello",
        v: [1],
        token: &env::var("PIGPEN_TOKEN")?,
        name: "@NAME@",
        version: "1",
        lang: "rust",
    };
    socket.send(rmp_serde::to_vec_named(&hello)?, 0)?;
    let mut game = String::new();
    let mut chance = Chance::new(&[]);
    loop {
        let frame = socket.recv_bytes(0)?;
        if frame.is_empty() {
            continue; // only asks whether we are there
        }
        let message: Message = rmp_serde::from_slice(&frame)?;
        match (message.t.as_str(), message.number) {
            ("match", Some(number)) => {
                game = message.game;
                chance = Chance::new(&message.rng);
                socket.send(rmp_serde::to_vec_named(&Ready { t: "ready", number })?, 0)?;
            }
            ("act", Some(number)) => {
                let choice = choose(&game, &message, &mut chance);
                let action = Action { t: "action", number, turn: message.turn, choice };
                socket.send(rmp_serde::to_vec_named(&action)?, 0)?;
            }
            ("error", None) => return Err(format!("{}: {}", message.code, message.why).into()),
            ("bye", _) => return Ok(()),
            _ => {}
        }
    }
}
