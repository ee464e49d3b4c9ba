/**
 * Everything a Pigpen bot in JavaScript (Node) needs, in one file.
 *
 * A whole bot:
 *
 *     const pigpen = require("./pigpen.js");
 *
 *     pigpen.run({
 *       name: "first",
 *       act(match, act) {
 *         return 0;
 *       },
 *     });
 *
 * `act` is asked for a decision; all other handlers may be left out, and all may be
 * async. What it returns is
 *
 *     3                        the index of an action in act.legal
 *     {a: "discard", ...}      an action written out
 *     [3, "why I did it"]      either of them with a note, which is shown in the replay
 *                              and to nobody else during the match
 *
 * `run` connects where PIGPEN_ENDPOINT says, greets with PIGPEN_TOKEN and calls the
 * handlers, one after another, until the arbiter says bye; then its promise is
 * fulfilled and nothing keeps the process alive. Greeting, `ready`, reconnecting,
 * batches and several matches at once are handled here. An exception in a handler ends the
 * bot, as it should: the arbiter calls it a crash and shows the last line of stderr.
 *
 * A bot that is started by hand and plays on an arbiter elsewhere needs
 * PIGPEN_SERVER_KEY, the arbiter's public key, and PIGPEN_KEY_FILE, the file NAME.key that
 * `pigpen keygen NAME` wrote; its token is then NAME. When it has had no connection for
 * five minutes (or PIGPEN_RECONNECT_MS; 0: never) it gives up.
 *
 * The wire is described in specs/protocol.md; views, actions and events of each game in
 * specs/games/. Types are in pigpen.d.ts. Needs the packages zeromq and
 * @msgpack/msgpack (`npm ci`).
 */
"use strict";

const fs = require("node:fs");

const PROTOCOL_VERSION = 1;
const WELCOME_MS = 30000; // without an answer to hello we give up
const RECONNECT_MS = 300000; // without a connection a bot that plays elsewhere gives up
const TIMER_MS_MAX = 0x7fffffff; // of setTimeout
const AGAIN_MS = 500; // until a hello that came too early is sent again
const LOST_MS = 100; // frames that came before the connection was lost are read first
const LONG_MS = 1; // an answer that took longer is sent at once
const LINGER_MS = 1000;
const HEARTBEAT_MS = 5000;

/** The arbiter went away, refused us, or sent something unreadable. */
class ConnectionLost extends Error {}

/** The environment or the installation is not complete. */
class NotReady extends Error {}

/** Plays until the arbiter says bye. Sets process.exitCode to 2 if the environment is
 * not set, to 1 if the connection was lost or refused.
 * @param {import("./pigpen").Bot} bot
 * @returns {Promise<void>} */
async function run(bot) {
  let session;
  try {
    session = new Session(bot);
    await session.play();
  } catch (error) {
    if (!(error instanceof ConnectionLost || error instanceof NotReady)) throw error;
    console.error(`${bot.name || "bot"}: ${error.message}`);
    process.exitCode = error instanceof NotReady ? 2 : 1;
  } finally {
    if (session) session.close();
  }
}

/** Loads a package, or says how to get it. */
function need(name) {
  try {
    return require(name);
  } catch (error) {
    if (error.code !== "MODULE_NOT_FOUND") throw error;
    throw new NotReady(`the package ${name} is missing; run \`npm ci\` in ${__dirname}`);
  }
}

function setting(name) {
  const value = process.env[name];
  if (!value)
    throw new NotReady(
      `${name} is not set; bots are started by \`pigpen match\`, which sets it; one ` +
      "that plays elsewhere needs PIGPEN_ENDPOINT, PIGPEN_SERVER_KEY and PIGPEN_KEY_FILE");
  return value;
}

/** Our key, if the arbiter is far away: {name, public, secret}, else null. */
function key() {
  const { PIGPEN_SERVER_KEY, PIGPEN_KEY_FILE } = process.env;
  if (!PIGPEN_SERVER_KEY && !PIGPEN_KEY_FILE) return null;
  try {
    const lines = fs.readFileSync(PIGPEN_KEY_FILE, "ascii").trim().split("\n");
    const read = Object.fromEntries(lines.map((line) => line.trim().split(/\s+/)));
    if (PIGPEN_SERVER_KEY && read.name && read.public && read.secret) return read;
  } catch {
    // It is reported below.
  }
  throw new NotReady(
    "PIGPEN_SERVER_KEY (the arbiter's public key, 40 characters) and PIGPEN_KEY_FILE " +
    "(which `pigpen keygen` writes) need each other");
}

function reconnectMs() {
  const text = process.env.PIGPEN_RECONNECT_MS || String(RECONNECT_MS);
  if (!/^\d+$/.test(text) || Number(text) > TIMER_MS_MAX)
    throw new NotReady(
      "PIGPEN_RECONNECT_MS is not a number of milliseconds; 0 means to try for ever");
  return Number(text);
}

function curve(pair) {
  return pair && {
    curveServerKey: process.env.PIGPEN_SERVER_KEY,
    curvePublicKey: pair.public,
    curveSecretKey: pair.secret,
    heartbeatInterval: HEARTBEAT_MS,
  };
}

/** A generator of numbers in [0, 1) from 32 bytes (sfc32): the same bytes, the same
 * numbers.
 * @param {Uint8Array} seed */
function generator(seed) {
  const word = (i) => Buffer.from(seed).readUInt32LE(4 * i) ^
    Buffer.from(seed).readUInt32LE(16 + 4 * i);
  let a = word(0), b = word(1), c = word(2), d = word(3);
  const next = () => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + t | 0;
    return (t >>> 0) / 4294967296;
  };
  for (let i = 0; i < 12; i++) next();
  return next;
}

/** Cuts a note at `size` bytes; whole characters stay whole. */
function cut(note, size) {
  if (typeof note !== "string") return note.subarray(0, size);
  const bytes = Buffer.from(note);
  if (bytes.length <= size) return note;
  let end = size;
  while (end > 0 && (bytes[end] & 0xc0) === 0x80) end--;
  return bytes.toString("utf8", 0, end);
}

/** One connection to one arbiter. */
class Session {
  constructor(bot) {
    this.bot = bot;
    this.endpoint = setting("PIGPEN_ENDPOINT");
    this.key = key();
    this.token = process.env.PIGPEN_TOKEN || (this.key ? this.key.name
      : setting("PIGPEN_TOKEN"));
    this.msgpack = need("@msgpack/msgpack");
    this.secret = null; // known once greeted
    this.limits = {};
    this.matches = new Map();
    this.unsure = new Set(); // matches not resumed since we came back
    this.reconnectMs = reconnectMs();
    this.connected = false;
    this.out = []; // encoded messages that leave together
    this.outBytes = 0;
    this.sending = Promise.resolve();
    this.over = false;
    this.again = null; // timer of a hello that is to be sent again
    // With `immediate` nothing is queued without a connection, so hello is the first
    // message of each.
    this.socket = new (need("zeromq").Dealer)({
      immediate: true, linger: LINGER_MS, sendTimeout: 0, ...curve(this.key),
    });
    this.failure = null; // why the connection is lost
  }

  /** Ends play(): a pending receive() fails when the socket is closed. */
  lose(why) {
    this.failure = this.failure || new ConnectionLost(why);
    this.close();
  }

  close() {
    clearTimeout(this.again);
    clearTimeout(this.giveUp);
    clearTimeout(this.gone);
    this.socket.close();
  }

  /** Until bye. */
  async play() {
    this.socket.events.on("handshake", () => this.handshaken());
    this.socket.events.on("disconnect", () => this.disconnected());
    this.socket.events.on("handshake:error:auth", () =>
      this.lose("the arbiter does not know our key; its host has to add it"));
    this.waitForConnection();
    try {
      this.socket.connect(this.endpoint);
    } catch (error) {
      throw new ConnectionLost(
        `cannot connect to PIGPEN_ENDPOINT=${this.endpoint}: ${error.message}`);
    }
    while (!this.over) await this.frame(await this.receive());
    await this.sending;
  }

  async receive() {
    try {
      return (await this.socket.receive())[0];
    } catch (error) {
      throw this.failure || error;
    }
  }

  handshaken() {
    this.connected = true;
    if (this.key) clearTimeout(this.giveUp);
    this.hello();
  }

  /** Without a connection, or a local bot without a welcome, we give up after a while. */
  waitForConnection() {
    const seconds = Math.floor(this.reconnectMs / 1000);
    if (!this.key)
      this.giveUp = setTimeout(
        () => this.lose(`no welcome in ${WELCOME_MS / 1000} s`), WELCOME_MS);
    else if (this.reconnectMs)
      this.giveUp = setTimeout(
        () => this.lose(`no connection to ${this.endpoint} for ${seconds} s; giving up`),
        this.reconnectMs);
  }

  /** The other end of a Unix socket does not come back. A timer alone could run before
   * a frame that is there already; what it leaves to the next turn of the loop cannot. */
  disconnected() {
    if (this.endpoint.startsWith("ipc:")) {
      this.gone = setTimeout(
        () => setImmediate(() => this.lose("the arbiter has gone without a bye")), LOST_MS);
    } else if (this.connected) { // else a handshake has failed
      this.connected = false;
      clearTimeout(this.again);
      this.waitForConnection();
      console.error(`${this.bot.name || "bot"}: the connection to ${this.endpoint} is lost; ` +
        "trying again");
    }
  }

  hello() {
    clearTimeout(this.again);
    // Answers not sent before the connection was lost are asked for again.
    this.out = [];
    this.outBytes = 0;
    this.say({
      t: "hello",
      v: [PROTOCOL_VERSION],
      token: this.token,
      name: this.bot.name || "bot",
      version: this.bot.version || "",
      lang: "javascript",
      matches: this.bot.matches || 1,
      events: Boolean(this.bot.events),
      batch: true,
      ...(this.secret ? { secret: this.secret } : {}),
    });
    this.flush();
  }

  say(message) {
    const bytes = this.msgpack.encode(message, { ignoreUndefined: true });
    if (this.limits.frame_bytes && this.outBytes + bytes.length > this.limits.frame_bytes)
      this.flush();
    this.out.push(bytes);
    this.outBytes += bytes.length;
  }

  flush() {
    if (this.out.length === 0) return;
    const frame = Buffer.concat(this.out);
    this.out = [];
    this.outBytes = 0;
    // A frame that cannot leave is lost: after a reconnect `resume` asks again.
    this.sending = this.sending.then(() => this.socket.send(frame)).catch((error) => {
      if (error.code !== "EAGAIN" && !this.socket.closed) throw error;
    });
  }

  /** An empty frame only asks whether we are there. */
  async frame(bytes) {
    let messages;
    try {
      messages = [...this.msgpack.decodeMulti(bytes)];
    } catch (error) {
      throw new ConnectionLost(`cannot read what the arbiter sent: ${error.message}`);
    }
    for (const message of messages) {
      if (this.over) break;
      await this.message(message);
    }
    this.flush();
  }

  async message(message) {
    const handler = handlers[message.t];
    if (!handler)
      throw new ConnectionLost(`the arbiter sent an unknown message, '${message.t}'`);
    if (this.unsure.size && message.t !== "resume") await this.endUnsure();
    await handler.call(this, message);
  }

  /** After welcome come the matches that go on, before anything else. The others ended
   * while we were away. */
  async endUnsure() {
    const over = [...this.unsure];
    this.unsure.clear();
    for (const id of over) {
      const match = this.matches.get(id);
      this.matches.delete(id);
      await this.tell("end", match, null, []);
    }
  }

  /** Calls a handler of the bot's if it is there. */
  async tell(name, ...args) {
    if (this.bot[name]) await this.bot[name](...args);
  }

  async begin(message) {
    const match = {
      id: message.match, game: message.game, rules: message.rules,
      options: message.options, seat: message.seat, seats: message.seats,
      teams: message.teams, clock: message.clock, commit: message.commit,
      rng: message.rng, names: message.names || [], random: generator(message.rng),
      data: undefined,
    };
    this.matches.set(match.id, match);
    await this.tell("match", match);
    return match;
  }

  async ask(match, act) {
    const start = performance.now();
    const answer = await this.bot.act(match, act);
    this.say(this.action(match, act, answer));
    if (performance.now() - start > LONG_MS) this.flush();
  }

  action(match, act, answer) {
    const action = { t: "action", match: match.id, turn: act.turn };
    const [move, note] = Array.isArray(answer) ? answer : [answer];
    if (Number.isInteger(move)) action.choice = move;
    else if (move !== null && typeof move === "object") action.action = move;
    else
      throw new TypeError(
        `act returned ${JSON.stringify(answer)}; it must return an index into act.legal ` +
        "or an action, or [either of them, a note]");
    if (note) action.note = cut(note, this.limits.note_bytes);
    return action;
  }
}

/** What to do with each message of the arbiter's; `this` is the session. */
const handlers = {
  welcome(message) {
    clearTimeout(this.giveUp);
    this.secret = message.secret;
    this.limits = message.limits;
    this.unsure = new Set(this.matches.keys());
  },

  async match(message) {
    if (this.matches.has(message.match)) return;
    await this.begin(message);
    this.say({ t: "ready", match: message.match });
  },

  async act({ match: id, turn, view, events, legal, clock }) {
    const match = this.matches.get(id);
    if (match) await this.ask(match, { turn, view, events, legal, clock });
  },

  async event({ match: id, events }) {
    const match = this.matches.get(id);
    if (match) await this.tell("event", match, events);
  },

  async refuse({ match: id, turn, clause, why }) {
    const match = this.matches.get(id);
    if (match) await this.tell("refuse", match, { turn, clause, why });
  },

  async resume(message) {
    this.unsure.delete(message.match);
    const match = this.matches.get(message.match) || (await this.begin(message));
    await this.tell("resume", match, message.view);
    if (message.act)
      await this.ask(match, { ...message.act, view: message.view, events: [] });
  },

  async end({ match: id, result, events }) {
    const match = this.matches.get(id);
    this.matches.delete(id);
    if (match) await this.tell("end", match, result, events);
  },

  async error({ match: id, code, why }) {
    if (id !== undefined) {
      const match = this.matches.get(id);
      this.matches.delete(id);
      if (match) await this.tell("end", match, null, []);
    } else if (code === "live" && (this.key || this.secret)) {
      this.again = setTimeout(() => this.hello(), AGAIN_MS);
    } else {
      throw new ConnectionLost(`the arbiter says ${code}: ${why}`);
    }
  },

  bye() {
    this.over = true;
  },
};

module.exports = { run };
