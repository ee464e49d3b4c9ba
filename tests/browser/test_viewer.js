/* `pigpen replay html` in a real browser, for each game. */
'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const {test, run, pigpen, PHONE} = require('./harness');

const PAGE_BYTES_MAX = 400000;
const GAMES = {
	dirty_pig: ['greedy', 'random', 'greedy'],
	galloping_pigs: ['greedy', 'random', 'greedy', 'random'],
	pig_it_hog_it: ['greedy', 'random', 'greedy', 'random'],
	pig_pile: ['greedy', 'random', 'greedy', 'random'],
	tennessee_pig: ['greedy', 'random', 'greedy', 'random'],
};

/* For tests that look at every position from every place. */
const SHORT = {pig_it_hog_it: ['-o', 'games=1'], pig_pile: ['-o', 'rounds=1']};

function page(t, replay, ...more) {
	const file = path.join(t.folder, `page${fs.readdirSync(t.folder).length}.html`);

	pigpen(['replay', 'html', replay, '-o', file, ...more]);
	return file;
}

/* Opens a page at a fragment and waits until it is there. */
async function open(t, file, fragment, options) {
	const shown = await t.open('file://' + file + (fragment || ''), options);

	await t.until(shown, () => window.replay !== undefined);
	return shown;
}

function shownAs(replay, seat) {
	return pigpen(['replay', 'show', '--json', '--seat', seat, replay]).trim().split('\n')
		.map(line => JSON.parse(line));
}

/* What the page says, against what the arbiter says about the same decisions. */
async function checkViews(shown, replay) {
	const whole = JSON.parse(pigpen(['replay', 'export', '--full', replay]));
	const moves = whole.steps.filter(step => step.action);
	const seen = await shown.evaluate(() => {
		const match = window.replay.match;

		return match.decisions.map((index, position) => {
			const step = match.steps[index];

			return {seat: step.seat, legal: step.legal.length, choice: step.choice,
				view: match.view(position, step.seat)};
		});
	});

	assert.strictEqual(seen.length, moves.length, 'decisions');
	seen.forEach((decision, i) => {
		const {game, opts, ...view} = moves[i].view;

		assert.ok(game && opts);
		view.need = view.need || 'answers';
		assert.strictEqual(decision.seat, moves[i].seat);
		assert.strictEqual(decision.legal, moves[i].legal.length);
		assert.deepStrictEqual(moves[i].legal[decision.choice], moves[i].action);
		assert.deepStrictEqual(decision.view, view, `view of decision ${i + 1}`);
	});
}

/* The events that each seat is shown, against those that it was told. */
async function checkEvents(shown, replay, seats) {
	for (let seat = 0; seat < seats; seat++) {
		const told = shownAs(replay, seat).filter(line => line.events && line.events.length);
		const seen = await shown.evaluate(viewer => {
			const match = window.replay.match;

			return match.steps.map(step => match.events(step, viewer)).filter(list => list.length);
		}, seat);

		assert.deepStrictEqual(seen, told.map(line => line.events), `events of seat ${seat}`);
	}
}

/*
 * Runs in the page: goes through every position as this viewer and gives back what is
 * drawn that the viewer's view does not hold, and hands that are not the view's.
 */
function lookForSecrets(viewer) {
	const {replay} = window;
	const wrong = [];

	function tokens(value, list) {
		if (typeof value === 'string')
			list.push(value);
		else if (value && typeof value === 'object')
			Object.values(value).forEach(inner => tokens(inner, list));
		return list;
	}
	const cardsIn = node => [...node.querySelectorAll('[data-card]')]
		.map(card => card.getAttribute('data-card'));

	replay.look(viewer);
	for (let position = 0; position <= replay.match.last; position++) {
		replay.go(position);
		const view = replay.match.view(position, viewer);
		const known = tokens([view.pub, view.me], []);
		const sizes = view.pub.hand_count || view.pub.hand_size;
		const board = replay.board;

		for (const card of cardsIn(board)) {
			const found = known.indexOf(card);

			if (found < 0)
				wrong.push(`position ${position}: shows ${card}`);
			else
				known.splice(found, 1);
		}
		for (const hand of board.querySelectorAll('[data-zone=hand]')) {
			const seat = Number(hand.getAttribute('data-seat'));
			const cards = cardsIn(hand);
			const backs = hand.querySelectorAll('[data-back]').length;
			const expected = seat === viewer ? view.me.hand : [];

			if (JSON.stringify(cards) !== JSON.stringify(expected))
				wrong.push(`position ${position}: hand ${seat} shows ${cards}`);
			if (seat !== viewer && backs !== sizes[seat])
				wrong.push(`position ${position}: hand ${seat} has ${backs} backs`);
		}
		if (board.querySelector('[data-stock-top]'))
			wrong.push(`position ${position}: shows the top of the stock`);
		for (const line of board.querySelectorAll('[data-chosen]'))
			if (Number(line.closest('[data-panel]')?.getAttribute('data-panel')) !== viewer
				&& line.getAttribute('data-chosen') !== (view.me.chosen || []).join(' '))
				wrong.push(`position ${position}: shows another's choice`);
		const step = replay.match.decisionAt(position);

		if (step && step.seat !== viewer && !replay.legal.hidden)
			wrong.push(`position ${position}: shows another's legal moves`);
		if (step && step.seat !== viewer && step.note
			&& replay.root.textContent.includes(step.note))
			wrong.push(`position ${position}: shows another's note`);
	}
	return wrong.slice(0, 5);
}

/* Runs in the page: with all cards shown, every hand is the true one. */
function lookForTruth() {
	const {replay} = window;
	const wrong = [];

	replay.look('all');
	for (let position = 0; position <= replay.match.last; position++) {
		replay.go(position);
		const {all} = replay.match.view(position, 'all');

		for (const hand of replay.board.querySelectorAll('[data-zone=hand]')) {
			const seat = Number(hand.getAttribute('data-seat'));
			const cards = [...hand.querySelectorAll('[data-card]')]
				.map(card => card.getAttribute('data-card'));

			if (JSON.stringify(cards) !== JSON.stringify(all.hand[seat]))
				wrong.push(`position ${position}: hand ${seat} shows ${cards}`);
		}
	}
	return wrong.slice(0, 5);
}

async function checkFits(shown) {
	const [wide, room] = await shown.evaluate(
		() => [document.documentElement.scrollWidth, window.innerWidth]);

	assert.ok(wide <= room, `the page is ${wide} px wide, the window ${room}`);
}

for (const [game, bots] of Object.entries(GAMES)) {
	test(`${game}: the page holds what the arbiter knows, and is small`, async t => {
		const replay = t.replay(game, bots);
		const file = page(t, replay);
		const shown = await open(t, file);

		assert.ok(fs.statSync(file).size < PAGE_BYTES_MAX, `${fs.statSync(file).size} bytes`);
		await checkViews(shown, replay);
		await checkEvents(shown, replay, bots.length);
	});

	test(`${game}: a seat is shown what it knew and nothing else`, async t => {
		const shown = await open(t, page(t, t.replay(game, bots, ...(SHORT[game] || []))));

		for (const viewer of [...bots.keys(), 'spectator'])
			assert.deepStrictEqual(await shown.evaluate(lookForSecrets, viewer), [], `as ${viewer}`);
		assert.deepStrictEqual(await shown.evaluate(lookForTruth), []);
	});

	test(`${game}: scrubbed to the end on desktop and phone, light and dark`, async t => {
		const file = page(t, t.replay(game, bots));

		for (const [size, options] of [['desktop', {}], ['phone', PHONE]])
			for (const colorScheme of ['light', 'dark']) {
				const shown = await open(t, file, '#d20&seat=all', {...options, colorScheme});
				const slider = shown.getByRole('slider', {name: 'Decision'});

				await t.shot(shown, `${game}-${size}-${colorScheme}`);
				await checkFits(shown);
				await slider.fill(await slider.getAttribute('max'));
				await shown.getByRole('heading', {name: 'Result'}).waitFor();
				assert.strictEqual(await shown.locator('.pp-result tbody tr').count(), bots.length);
				await t.shot(shown, `${game}-${size}-${colorScheme}-end`);
				await shown.getByRole('button', {name: '1 random'}).click();
				await shown.waitForURL(/#end&seat=1$/);
				await checkFits(shown);
				await shown.close();
			}
	});

	test(`${game}: a page for one seat holds nothing of the others`, async t => {
		const replay = t.replay(game, bots, ...(SHORT[game] || []));
		const shown = await open(t, page(t, replay, '--seat', 1));
		const {head, steps} = await shown.evaluate(
			() => ({head: window.replay.match.head, steps: window.replay.match.steps}));
		const told = shownAs(replay, 1).filter(line => line.events && line.events.length);

		assert.strictEqual(head.for, 1);
		assert.deepStrictEqual(head.table.own.map(part => part !== null),
			bots.map((_, seat) => seat === 1));
		assert.ok(!('all' in head.table));
		for (const step of steps) {
			const keys = Object.keys(step);

			if (step.table)
				assert.deepStrictEqual(Object.keys(step.table.own || {1: 0}), ['1']);
			if (step.decision && step.seat !== 1)
				assert.ok(keys.every(key => ['decision', 'events', 'table'].includes(key)), keys);
		}
		assert.deepStrictEqual(
			steps.filter(step => step.events).map(step => step.events), told.map(line => line.events));
		assert.deepStrictEqual(await shown.evaluate(lookForSecrets, 1), []);
		assert.strictEqual(await shown.getByRole('button', {name: 'all cards'}).count(), 0);
	});
}

test('keys step, jump, play, and switch seats', async t => {
	const shown = await open(t, page(t, t.replay('pig_pile', GAMES.pig_pile)));
	const position = () => shown.evaluate(() => window.replay.position);
	const viewer = () => shown.evaluate(() => window.replay.viewer);
	const last = await shown.evaluate(() => window.replay.match.last);

	await shown.keyboard.press('ArrowRight');
	await shown.keyboard.press('ArrowRight');
	await shown.keyboard.press('ArrowLeft');
	assert.strictEqual(await position(), 1);
	await shown.keyboard.press('End');
	assert.strictEqual(await position(), last);
	await shown.keyboard.press('Home');
	assert.strictEqual(await position(), 0);
	await shown.keyboard.press('PageDown');
	const second = await position();

	assert.strictEqual(await shown.evaluate(() => window.replay.match.round(window.replay.position)), 2);
	assert.strictEqual(await shown.evaluate(
		() => window.replay.match.round(window.replay.position - 1)), 1);
	await shown.keyboard.press('PageUp');
	assert.strictEqual(await position(), 0);
	assert.ok(second > 0);
	for (const [key, expected] of [['2', 2], ['s', 'spectator'], ['a', 'all'], ['9', 'all']]) {
		await shown.keyboard.press(key);
		assert.strictEqual(await viewer(), expected);
	}
	await shown.keyboard.press('Space');
	await t.until(shown, () => window.replay.position >= 2);
	await shown.keyboard.press('Space');
	assert.strictEqual(await shown.getByRole('button', {name: 'pause'}).count(), 0);
	await shown.keyboard.press('?');
	await shown.getByRole('dialog').waitFor();
	await shown.keyboard.press('Escape');
	await shown.keyboard.press('t');
	const [ms, most] = await shown.evaluate(() => {
		const {match, position: at} = window.replay;

		return [match.decisionAt(at).ms, Math.max(...match.steps.map(step => step.ms || 0))];
	});

	assert.strictEqual(ms, most);
});

test('the address names a decision and a seat', async t => {
	const file = page(t, t.replay('dirty_pig', GAMES.dirty_pig));
	const shown = await open(t, file, '#d7&seat=2');

	assert.deepStrictEqual(await shown.evaluate(
		() => [window.replay.match.decisionAt(window.replay.position).decision, window.replay.viewer]),
	[7, 2]);
	await shown.evaluate(() => { location.hash = '#d3&seat=spectator'; });
	await t.until(shown, () => window.replay.viewer === 'spectator');
	assert.strictEqual(await shown.evaluate(() => window.replay.position), 2);
	await shown.keyboard.press('ArrowRight');
	await shown.waitForURL(/#d4&seat=spectator$/);
});

/* A bot whose name and notes want to be markup, and that leaves in its third turn. */
const RUDE_BOT = `
import os, sys, msgpack, zmq
socket = zmq.Context().socket(zmq.DEALER)
socket.connect(os.environ["PIGPEN_ENDPOINT"])
send = lambda **message: socket.send(msgpack.packb(message))
send(t="hello", v=[1], token=os.environ["PIGPEN_TOKEN"], name="<b id=hacked>",
     version="</script>", lang="python")
while True:
    message = msgpack.unpackb(socket.recv())
    if message["t"] == "match":
        send(t="ready", match=message["match"])
    elif message["t"] == "act":
        if message["turn"] == 3:
            sys.exit(3)
        send(t="action", match=message["match"], turn=message["turn"], choice=0,
             note="</script><b id=hacked>\\u2028 & so on")
`;

function rudeBot(t) {
	const folder = path.join(t.folder, 'rude');

	fs.mkdirSync(folder);
	fs.writeFileSync(path.join(folder, 'rude.py'), RUDE_BOT);
	fs.writeFileSync(path.join(folder, 'bot.json'), JSON.stringify({
		name: 'rude', version: '1', author: 'tests', language: 'python',
		command: ['/usr/bin/python3', 'rude.py'],
	}));
	return folder;
}

test('texts of bots stay texts, and a fault is marked', async t => {
	const replay = t.replay('dirty_pig', ['random', rudeBot(t), 'random']);
	const shown = await open(t, page(t, replay), '#d2&seat=all');

	assert.strictEqual(await shown.locator('#hacked').count(), 0);
	assert.match(await shown.locator('.pp-note').textContent(), /<\/script><b id=hacked>/);
	assert.strictEqual(await shown.locator('.mark-fault').count(), 1);
	await shown.keyboard.press('f');
	assert.match(await shown.locator('.pp-lines .pp-fault:visible').textContent(), /crash/);
	await t.shot(shown, 'fault');
	await shown.keyboard.press('0');
	assert.strictEqual(await shown.locator('.mark-fault').count(), 0);
	assert.strictEqual(await shown.locator('.pp-lines .pp-fault').count(), 0);
});

test('a file that ends early is shown as far as it goes', async t => {
	const replay = t.replay('galloping_pigs', GAMES.galloping_pigs);
	const file = path.join(t.folder, 'cut.html');

	fs.truncateSync(replay, Math.floor(fs.statSync(replay).size / 2));
	pigpen(['replay', 'html', replay, '-o', file], {status: 1});
	const shown = await open(t, file, '#end');

	assert.match(await shown.locator('.pp-decision').textContent(), /the replay ends here/);
	assert.ok(await shown.evaluate(() => window.replay.match.last) > 10);
});

test('a running match grows, and a person is asked', async t => {
	const shown = await open(t, page(t, t.replay('pig_it_hog_it', GAMES.pig_it_hog_it)));
	const result = await shown.evaluate(() => {
		const whole = window.replay.match;
		const {head, steps} = whole;
		const live = window.live = window.Pigpen.mount(document.getElementById('replay'),
			{head, steps: steps.slice(0, 20)}, {follow: true});

		window.replay.destroy();
		steps.slice(20, 60).forEach(step => live.append(step));
		const followed = live.position === live.match.last;

		live.go(3);
		steps.slice(60, 100).forEach(step => live.append(step));
		const stayed = live.position === 3;

		steps.slice(100).forEach(step => live.append(step));
		const equal = JSON.stringify(live.match.view(live.match.last, 'all'))
			=== JSON.stringify(whole.view(whole.last, 'all'));

		live.ask(['pass', 'bid high n=3'], i => { window.chosen = i; });
		return {followed, stayed, equal};
	});

	assert.deepStrictEqual(result, {followed: true, stayed: true, equal: true});
	await shown.getByRole('button', {name: 'bid high n=3'}).click();
	assert.strictEqual(await shown.evaluate(() => window.chosen), 1);
	assert.strictEqual(await shown.getByRole('button', {name: 'pass'}).count(), 0);
});

test('an address that somebody types is not written over', async t => {
	const shown = await open(t, page(t, t.replay('dirty_pig', GAMES.dirty_pig)));

	/* The viewer's own writing comes between the change and the event that tells of it. */
	await shown.evaluate(() => {
		const later = window.setTimeout;
		let write;

		window.setTimeout = action => { write = action; };
		window.replay.go(1);
		window.setTimeout = later;
		location.hash = '#d9';
		write();
	});
	await t.until(shown, () => window.replay.position === window.replay.match.positionOf(9));
	await t.until(shown, () => /^#d9&seat=/.test(location.hash));
});

test('every number of seats of Pig Pile fits', async t => {
	for (const n of [3, 7, 12]) {
		const replay = t.replay('pig_pile', Array(n).fill('random'), '-o', 'rounds=1');
		const file = page(t, replay);

		for (const [size, options] of [['desktop', {}], ['phone', PHONE]]) {
			const shown = await open(t, file, '#d40&seat=all', options);

			await checkFits(shown);
			await t.shot(shown, `pig_pile-${n}-seats-${size}`);
			await shown.close();
		}
		fs.rmSync(replay);
	}
});

run();
