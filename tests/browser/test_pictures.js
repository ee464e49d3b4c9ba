/*
 * The pictures of the README. They are put into specs/images/ if PIGPEN_PICTURES is set;
 * otherwise the same is done once with less, to be sure that it can be.
 */
'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const {test, run, pigpen, served, ROOT, SHOTS} = require('./harness');

const KEPT = Boolean(process.env.PIGPEN_PICTURES);
const SIZE = {viewport: {width: 1120, height: 640}, deviceScaleFactor: 1.25, colorScheme: 'light'};
const BYTES_MAX = 150000;

async function picture(page, name) {
	const file = path.join(KEPT ? path.join(ROOT, 'specs/images') : SHOTS, name + '.png');

	fs.mkdirSync(path.dirname(file), {recursive: true});
	await page.mouse.move(0, 0);
	await page.screenshot({path: file});
	assert.ok(fs.statSync(file).size < BYTES_MAX, `${name}.png has ${fs.statSync(file).size} bytes`);
}

/* A sample bot under a name that tells it from the one in C. */
function renamed(t, folder, name) {
	const copy = path.join(t.folder, name);

	fs.cpSync(path.join(ROOT, 'sample_bots', folder), copy, {recursive: true});
	const manifest = JSON.parse(fs.readFileSync(path.join(copy, 'bot.json'), 'utf8'));

	fs.writeFileSync(path.join(copy, 'bot.json'), JSON.stringify({...manifest, name}));
	return copy;
}

function ladder(t) {
	const folder = path.join(t.folder, 'ladder');

	pigpen(['ladder', 'init', folder, '--game', 'dirty_pig', '--schedule', 'round_robin']);
	pigpen(['ladder', 'add', '--no-check', folder, 'random', 'first', 'greedy', 'search',
		renamed(t, 'python/greedy', 'greedy-python'), renamed(t, 'python/random', 'random-python')]);
	pigpen(['ladder', 'run', folder, '--sets', KEPT ? '450' : '6', '--jobs', '1', '--at-once', '4']);
	return folder;
}

test('standings', async t => {
	await served([ladder(t)], async base => {
		const page = await t.open(base, {...SIZE, viewport: {width: 1120, height: 440}});

		await page.getByRole('row', {name: /search/}).waitFor();
		await picture(page, 'standings');
		await page.close();
	});
});

test('a replay', async t => {
	const file = t.replay('dirty_pig', ['greedy', 'random', 'first'], '--seed', 'a');

	pigpen(['replay', 'html', file, '-o', file + '.html']);
	const page = await t.open(`file://${file}.html`, {...SIZE, viewport: {width: 1240, height: 800}, deviceScaleFactor: 1});

	await page.locator('.pp-board svg').waitFor();
	await page.evaluate(() => { location.hash = `#d${Math.floor(0.7 * window.replay.match.last)}`; });
	await t.until(page, () => window.replay.position > 1);
	await picture(page, 'replay');
	await page.close();
});

test('a seat for a person', async t => {
	const folder = path.join(t.folder, 'ladder');

	pigpen(['ladder', 'init', folder, '--game', 'galloping_pigs']);
	pigpen(['ladder', 'add', '--no-check', folder, 'random', 'greedy']);
	await served([folder, '--played', path.join(t.folder, 'played')], async base => {
		const page = await t.open(base + 'play.html', {...SIZE, viewport: {width: 1240, height: 800}, deviceScaleFactor: 1});

		await page.getByRole('button', {name: 'Take the seat'}).click();
		for (let turn = 0; turn < 10; turn++) {
			await page.locator('.play-asked .play-move').first().waitFor();
			await page.locator('.play-asked .play-move').last().click();
		}
		await page.locator('.play-asked .play-move').first().waitFor();
		await picture(page, 'play');
		await page.close();
	});
});

run();
