/* A seat for a person: whole matches of every game, by clicking, on every size and colour. */
'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const {test, run, pigpen, served, accessible, LOOKS, PATIENCE_MS} = require('./harness');

/* Options that keep a match short. Left of the dealer the person calls first: a hog of another
 * seat could end so short a match of Pig It Hog It before the person is asked at all. */
const GAMES = {
	dirty_pig: {hand: '4'},
	pig_pile: {rounds: '1', max_turns: '40'},
	galloping_pigs: {rounds: '1', food_on_track: 'true'},
	pig_it_hog_it: {games: '1', target: '1', max_rounds: '2', first_dealer: '3'},
	tennessee_pig: {target: '1', max_hands: '1'},
};

async function narrow(page) {
	const [wide, room] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);

	assert.ok(wide <= room, `${wide} px wide, the window ${room}`);
}

async function begin(page, base, game, options) {
	await page.goto(base + 'play.html');
	await page.getByLabel('Game', {exact: true}).selectOption(game);
	await page.getByText('Options of the game').click();
	for (const [name, value] of Object.entries(options)) {
		const control = page.locator(`.play-options [name=${name}]`);

		if (await control.evaluate(node => node.tagName) === 'SELECT')
			await control.selectOption(value);
		else
			await control.fill(value);
	}
}

async function start(page) {
	await page.getByRole('button', {name: 'Take the seat'}).click();
	await page.locator('.play-panel').waitFor();
}

/* Waits until a move is asked for; false: the match is over. */
async function asked(page) {
	const found = page.locator('.play-asked .play-move, .play-over:not([hidden])').first();

	await found.waitFor();
	return await page.locator('.play-over:not([hidden])').count() === 0;
}

/* Chooses what stands in a place that differs from turn to turn; true: an answer went out. */
async function choose(page, turn) {
	const buttons = page.locator('.play-asked [data-move], .play-asked [data-step]');
	const n = await buttons.count();

	await buttons.nth(turn * 7 % n).click();
}

/* Answers until the match is over, or that many times. */
async function play(page, most = Infinity) {
	for (let turn = 0; turn < most && await asked(page); turn++)
		await choose(page, turn);
}

async function look(t, page, name) {
	await narrow(page);
	await accessible(page);
	await t.shot(page, name);
}

/* The same table in other browsers, all that may look at once. */
async function otherLooks(t, page, game, own) {
	for (const [name, size] of LOOKS.filter(([other]) => other !== own)) {
		const other = await t.open(page.url(), size);

		if (await asked(other))
			await look(t, other, `play-later-${game}-${name}`);
		await other.close();
	}
}

test('a match of every game, on desktop and phone, light and dark', async t => {
	const ladder = path.join(t.folder, 'ladder'), played = path.join(t.folder, 'played');
	let turn = 0;

	pigpen(['ladder', 'init', ladder, '--game', 'dirty_pig']);
	pigpen(['ladder', 'add', '--no-check', ladder, 'random', 'greedy']);
	await served([ladder, '--played', played], async base => {
		for (const [game, options] of Object.entries(GAMES)) {
			const [name, size] = LOOKS[turn++ % LOOKS.length];
			const page = await t.open(base, size);

			await page.getByRole('link', {name: 'Play'}).click();
			await page.getByRole('heading', {name: 'Play'}).waitFor();
			await begin(page, base, game, options);
			await look(t, page, `play-setup-${game}-${name}`);
			await start(page);
			assert.ok(await asked(page), 'the person was never asked');
			await look(t, page, `play-table-${game}-${name}`);
			await play(page, 4);
			if (await asked(page)) {
				await look(t, page, `play-later-${game}-${name}`);
				await otherLooks(t, page, game, name);
			}
			await play(page);
			await page.getByText(/You came/).waitFor();
			await look(t, page, `play-over-${game}-${name}`);
			await page.getByRole('link', {name: 'all cards'}).click();
			await page.locator('.pp-seats button').first().waitFor();
			assert.strictEqual(await page.evaluate(() => window.replay.match.head.for), 'all');
			await page.close();
		}
	});
	for (const folder of fs.readdirSync(played))
		for (const file of fs.readdirSync(path.join(played, folder)).filter(name => /replay$/.test(name)))
			pigpen(['replay', 'verify', path.join(played, folder, file)]);
});

test('cards are clicked, a refusal names its clause, a page loaded again goes on', async t => {
	const ladder = path.join(t.folder, 'ladder');

	pigpen(['ladder', 'init', ladder, '--game', 'pig_pile']);
	pigpen(['ladder', 'add', '--no-check', ladder, 'random', 'greedy']);
	await served([ladder, '--played', path.join(t.folder, 'played')], async base => {
		const page = await t.open(base);

		await begin(page, base, 'pig_pile', {});
		await page.getByLabel('Clock', {exact: true}).selectOption({index: 2});
		await start(page);
		assert.ok(await asked(page));
		await page.locator('.play-clock').filter({hasText: /^(10:0[05]|\d:\d\d)$/}).waitFor();
		const card = page.locator('.pp-offered').first();

		await card.click();
		await page.getByRole('button', {name: /^try: face/}).click();
		await page.getByRole('alert').filter({hasText: /Rule PP-\d|No move/}).waitFor();
		await t.shot(page, 'play-refused');
		await accessible(page);
		for (const i of [0, 1, 2]) {
			await page.locator('.pp-offered').nth(i).focus();
			await page.keyboard.press('Enter');
		}
		await t.shot(page, 'play-picked');
		await page.locator('.play-asked [data-move]').first().focus();
		await page.keyboard.press('Enter');
		await page.getByText('Play on the pile').or(page.getByText('Pick the pile up')).first().waitFor();
		await page.getByText('type a move').click();
		await page.getByLabel('A move in words').fill('play 99');
		await page.getByRole('button', {name: 'Try it'}).click();
		await page.getByRole('alert').filter({hasText: 'No move'}).waitFor();
		await page.getByLabel('A move in words').fill('slop i=0');
		await page.getByRole('button', {name: 'Try it'}).click();
		await page.getByRole('alert').filter({hasText: /Rule PP-\d/}).waitFor();
		await t.shot(page, 'play-rule');
		const before = await page.evaluate(() => window.replay.match.steps.length);

		await page.reload();
		assert.ok(await asked(page));
		assert.ok(await page.evaluate(() => window.replay.match.steps.length) >= before);
		await choose(page, 0);
		assert.ok(await asked(page));
		await page.getByRole('button', {name: 'Leave the table'}).click();
		await page.getByRole('button', {name: 'Really leave?'}).click();
		await page.locator('.play-over:not([hidden])').waitFor();
		await page.close();
	});
});

/* What a stream says until the match has been asked and answered, without a word of the present. */
async function past(base, id) {
	const answer = await fetch(`${base}api/play/streams/${id}`, {signal: AbortSignal.timeout(PATIENCE_MS)});
	const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
	let text = '';

	while (!/event: ask[^]*event: answer/.test(text)) {
		const {value, done} = await reader.read();

		assert.ok(!done, 'the stream ended');
		text += value;
	}
	await reader.cancel();
	return text.replace(/event: now\ndata: {.*}\n\n/, '').replace(/event: answer[^]*$/, '');
}

test('a question of the past is not asked again', async t => {
	const ladder = path.join(t.folder, 'ladder');

	pigpen(['ladder', 'init', ladder, '--game', 'dirty_pig']);
	pigpen(['ladder', 'add', '--no-check', ladder, 'random', 'greedy']);
	await served([ladder, '--played', path.join(t.folder, 'played')], async base => {
		const page = await t.open(base);

		await begin(page, base, 'dirty_pig', {});
		await start(page);
		await play(page, 1);
		const text = await past(base, new URL(page.url()).hash.slice(1));

		/* First the connection gets no further than the question, then another one is made. */
		await page.route('**/api/play/streams/*', route => route.fulfill({contentType: 'text/event-stream', body: text}),
			{times: 1});
		await page.addInitScript(() => {
			const listen = EventSource.prototype.addEventListener;

			EventSource.prototype.addEventListener = function (name, take) {
				listen.call(this, name, event => {
					take(event);
					if (name === 'ask' && !window.wasAsked)
						setTimeout(() => { window.shownThen = document.querySelector('.play-move') !== null; }, 200);
					window.wasAsked = window.wasAsked || name === 'ask';
				});
			};
		});
		await page.reload();
		await t.until(page, () => window.shownThen !== undefined);
		assert.strictEqual(await page.evaluate(() => window.shownThen), false, 'the old question was shown');
		assert.ok(await asked(page));
		await page.close();
	});
});

run();
