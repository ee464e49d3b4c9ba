/* The pages of a ladder: served and written as files, on every size and colour. */
'use strict';

const assert = require('node:assert');
const {spawn} = require('node:child_process');
const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');
const {test, run, pigpen, served, accessible, execFileSync, ROOT, PIGPEN, LOOKS} = require('./harness');

/* Leaves in its third turn, and wants its name and its last words to be markup. */
const CRASHER = `
import os, sys, msgpack, zmq
link = zmq.Context().socket(zmq.DEALER)
link.connect(os.environ["PIGPEN_ENDPOINT"])
send = lambda **m: link.send(msgpack.packb(m))
send(t="hello", v=[1], token=os.environ["PIGPEN_TOKEN"], name="crasher")
while True:
    m = msgpack.unpackb(link.recv(), strict_map_key=False)
    if m["t"] == "match":
        send(t="ready", match=m["match"])
    elif m["t"] == "act":
        if m["turn"] == 3:
            sys.exit("lost my cards <b id=hacked>")
        send(t="action", match=m["match"], turn=m["turn"], choice=0)
`;

function crasher(t, name = 'crasher') {
	const folder = path.join(t.folder, name);

	fs.mkdirSync(folder);
	fs.writeFileSync(path.join(folder, 'crasher.py'), CRASHER);
	fs.writeFileSync(path.join(folder, 'bot.json'), JSON.stringify({name, version: '0.3',
		author: '<i id=hacked>', language: 'python', command: ['/usr/bin/python3', 'crasher.py']}));
	return folder;
}

function ladder(t, game, sets, bots, ...options) {
	const folder = path.join(t.folder, game);

	pigpen(['ladder', 'init', folder, '--game', game, ...options]);
	pigpen(['ladder', 'add', '--no-check', '--owner', 'ann', folder, ...bots]);
	if (sets)
		pigpen(['ladder', 'run', folder, '--sets', String(sets), '--jobs', '1']);
	return folder;
}

/* A web host that knows nothing but files. */
async function hosted(folder, body) {
	const types = {'.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css',
		'.json': 'application/json', '.svg': 'image/svg+xml'};
	const host = http.createServer((request, response) => {
		const {pathname} = new URL(request.url, 'http://x');
		const file = path.join(folder, pathname === '/' ? 'index.html' : pathname);

		if (!fs.existsSync(file)) {
			response.writeHead(404).end();
			return;
		}
		response.writeHead(200, {'Content-Type': types[path.extname(file)] || 'application/octet-stream'});
		response.end(fs.readFileSync(file));
	});

	await new Promise(resolve => host.listen(0, '127.0.0.1', resolve));
	try {
		await body(`http://127.0.0.1:${host.address().port}/`);
	} finally {
		host.closeAllConnections();
		await new Promise(resolve => host.close(resolve));
	}
}

async function settled(page) {
	await page.locator('#main:not([aria-busy]) h1').first().waitFor();
	const [wide, room] = await page.evaluate(
		() => [document.documentElement.scrollWidth, window.innerWidth]);

	assert.ok(wide <= room, `${page.url()} is ${wide} px wide, the window ${room}`);
	assert.strictEqual(await page.locator('#hacked').count(), 0);
}

/* Every page, reached as a person would reach it. */
async function walk(t, base, name, options, shots, token) {
	const page = await t.open(base, options);
	const shot = async what => {
		await settled(page);
		if (!shots)
			return;
		await t.shot(page, `page-${what}-${name}`);
		await accessible(page);
	};
	const to = link => page.getByRole('navigation', {name: 'Pages', exact: true})
		.getByRole('link', {name: link}).click();

	await page.getByRole('row', {name: /greedy/}).waitFor();
	await shot('standings');
	assert.strictEqual(await page.locator('.bar circle').count(), 4);
	await to('History');
	await page.locator('.plot .line').first().waitFor();
	await page.getByRole('button', {name: 'greedy'}).click();
	await shot('history');
	await to('Matrix');
	await page.locator('.heat td').first().waitFor();
	await shot('matrix');
	await page.getByRole('link', {name: 'crasher'}).first().click();
	await page.locator('.fault').first().waitFor();
	assert.strictEqual(await page.getByText('lost my cards').count(), 0);
	if (token) {
		await page.getByLabel(/shown to its owner/).fill(token);
		await page.getByRole('button', {name: 'Show'}).click();
		await page.getByText('lost my cards <b id=hacked>').first().waitFor();
	}
	await shot('bot');
	await page.getByRole('link', {name: 'all its matches'}).click();
	await page.getByLabel(/it faulted/).check();
	await page.waitForURL(/faulted=1/);
	await shot('matches');
	assert.ok(await page.locator('tbody tr').count() > 0);
	await page.locator('tbody th a').first().click();
	await page.locator('.pp-board svg').waitFor();
	assert.strictEqual(await page.getByText('lost my cards').count() > 0, Boolean(token));
	await shot('match');
	await page.keyboard.press('End');
	await page.waitForURL(/#end/);
	await page.close();
}

test('every page, served, on desktop and phone, light and dark', async t => {
	const folder = ladder(t, 'dirty_pig', 24, ['random', 'greedy', 'first', crasher(t)]);
	const token = pigpen(['ladder', 'token', folder, 'ann']).trim();

	await served([folder], async base => {
		for (const [name, options] of LOOKS)
			await walk(t, base, name, options, true, token);
	});
});

test('the site as files is the same site', async t => {
	const folder = ladder(t, 'dirty_pig', 24, ['random', 'greedy', 'first', crasher(t)]);
	const out = path.join(t.folder, 'site');

	pigpen(['ladder', 'site', folder, out]);
	await hosted(out, base => walk(t, base, 'files', {}, false));
});

test('several ladders are chosen from, and a match of each opens', async t => {
	const folders = ['pig_pile', 'tennessee_pig'].map(game => ladder(t, game, 2, ['random', 'greedy']));

	await served(folders, async base => {
		const page = await t.open(base);

		await page.getByRole('heading', {name: 'Ladders'}).waitFor();
		await t.shot(page, 'page-ladders');
		await page.getByRole('link', {name: /tennessee_pig/}).click();
		await page.getByRole('row', {name: /greedy/}).waitFor();
		await page.getByLabel('Ladder', {exact: true}).selectOption('pig_pile');
		await page.waitForURL(/ladder=pig_pile/);
		await page.getByRole('link', {name: 'Matches'}).click();
		await page.locator('tbody th a').first().click();
		await page.locator('.pp-board svg').waitFor();
		assert.strictEqual(await page.evaluate(() => window.replay.match.head.game), 'pig_pile');
		await page.keyboard.press('ArrowRight');
		await page.waitForURL(/#d2/);
		await page.close();
	});
});

test('a ring is named and marked', async t => {
	const folder = ladder(t, 'dirty_pig', 0, ['random', 'greedy', 'first']);

	execFileSync('/usr/bin/python3', [path.join(ROOT, 'tests/e2e/support/synthetic.py'), folder, '120', 'ring']);
	await served([folder], async base => {
		for (const [name, options] of LOOKS) {
			const page = await t.open(base + 'matrix.html', options);

			await page.getByText('random beats greedy beats first beats random').waitFor();
			assert.strictEqual(await page.locator('.heat .in-ring').count(), 3);
			await settled(page);
			await accessible(page);
			await t.shot(page, `page-ring-${name}`);
			await page.close();
		}
	});
});

test('a match under way is watched to its end', async t => {
	/* The bots wait at their fourth question until this file is there. */
	const gate = path.join(t.folder, 'go');
	const bots = ['one', 'two'].map(name => {
		const folder = crasher(t, name);
		const file = path.join(folder, 'crasher.py');

		fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(/if m\["turn"\] == 3:\n.*\n/,
			`import time\n        while m["turn"] > 3 and not os.path.exists("${gate}"): time.sleep(0.02)\n`));
		return folder;
	});
	const folder = ladder(t, 'dirty_pig', 0, bots, '--sandbox', 'off', '--clock',
		'bank=3600s,inc=0s,move=600s');
	const play = spawn(PIGPEN, ['ladder', 'run', folder, '--sets', '8', '--jobs', '1'], {stdio: 'ignore'});
	const ended = new Promise(resolve => play.on('exit', resolve));

	await served([folder], async base => {
		const page = await t.open(base);

		await page.getByRole('link', {name: 'Live'}).click();
		await page.getByRole('link', {name: /^\d+-\d+$/}).first().click();
		await page.locator('.pp-board svg').waitFor();
		await t.until(page, () => window.replay.match.last > 3);
		await settled(page);
		await accessible(page);
		await t.shot(page, 'page-live');
		assert.deepStrictEqual(await page.evaluate(() => [window.replay.viewer,
			document.querySelectorAll('[data-zone=hand] [data-card]').length]), ['spectator', 0]);
		fs.writeFileSync(gate, '');
		await page.getByText('It is over.').waitFor();
		await page.close();
		play.kill('SIGINT');
		await ended;
	});
});

test('lists are paged, and what is not there is said', async t => {
	const folder = ladder(t, 'dirty_pig', 30, ['random', 'greedy']);

	await served([folder], async base => {
		const page = await t.open(base + 'matches.html');

		await page.getByText('60 matches, page 1 of 2').waitFor();
		assert.strictEqual(await page.locator('tbody tr').count(), 50);
		await page.getByRole('link', {name: 'older'}).click();
		await page.getByText('page 2 of 2').waitFor();
		assert.strictEqual(await page.locator('tbody tr').count(), 10);
		await page.goto(base + 'bot.html?bot=99');
		await page.getByRole('alert').waitFor();
		await page.close();
		t.errors = t.errors.filter(error => !/404/.test(error));
	});
});

run();
