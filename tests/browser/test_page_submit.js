/* Submitting a bot in the browser: accepted, refused, and with a token that is wrong. */
'use strict';

const assert = require('node:assert');
const {execFileSync} = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const axe = require('axe-core').source;
const {test, run, pigpen, served, PHONE} = require('./harness');

const ROOT = path.resolve(__dirname, '../..');

/* The archive of a bot that passes, or of one that leaves at its first question. */
function archive(t, name, passes) {
	const folder = path.join(t.folder, name);
	const file = path.join(t.folder, name + '.tar.gz');

	fs.cpSync(path.join(ROOT, 'sample_bots/python/greedy'), folder, {recursive: true});
	const manifest = JSON.parse(fs.readFileSync(path.join(folder, 'bot.json'), 'utf8'));

	fs.writeFileSync(path.join(folder, 'bot.json'), JSON.stringify({...manifest, name}));
	if (!passes)
		fs.writeFileSync(path.join(folder, 'greedy.py'), 'import sys\nsys.exit("no cards <b id=hacked>")\n');
	execFileSync('tar', ['-C', t.folder, '-czf', file, name]);
	return file;
}

async function withLadder(t, body) {
	const folder = path.join(t.folder, 'ladder');

	pigpen(['ladder', 'init', folder, '--game', 'dirty_pig', '--option', 'max_turns=4']);
	pigpen(['ladder', 'add', '--no-check', folder, 'first']);
	const token = pigpen(['ladder', 'token', folder, 'ann']).trim();
	await served([folder], base => body(base, token));
}

async function look(t, page, name) {
	const [wide, room] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);

	assert.ok(wide <= room, `${page.url()} is ${wide} px wide, the window ${room}`);
	assert.strictEqual(await page.locator('#hacked').count(), 0);
	await t.shot(page, name);
	await page.evaluate(axe);
	assert.deepStrictEqual(await page.evaluate(async () => (await window.axe.run()).violations
		.filter(({impact}) => ['serious', 'critical'].includes(impact))
		.map(({id, nodes}) => `${id}: ${nodes[0].html.slice(0, 200)}`)), []);
}

async function fill(page, file, token) {
	await page.getByRole('navigation', {name: 'Pages', exact: true}).getByRole('link', {name: 'Submit'}).click();
	await page.getByLabel('Archive').setInputFiles(file);
	await page.getByLabel('Token').fill(token);
}

async function send(page) {
	await page.getByRole('button', {name: 'Submit'}).click();
	await page.waitForURL(/submission\.html\?.*id=/);
	await page.locator('#state').filter({hasText: /accepted|refused/}).waitFor();
}

test('a bot is submitted and accepted', async t => {
	const file = archive(t, 'mine', true);

	await withLadder(t, async (base, token) => {
		const page = await t.open(base, {colorScheme: 'dark'});

		await fill(page, file, token);
		await look(t, page, 'page-submit-desktop-dark');
		await send(page);
		assert.strictEqual(await page.locator('#state').textContent(), 'accepted');
		await page.getByText(/steps, none failed/).waitFor();
		await look(t, page, 'page-submission-accepted-desktop-dark');
		await page.getByRole('link', {name: 'to the standings'}).click();
		await page.getByRole('row', {name: /mine/}).waitFor();
		await page.close();
	});
});

test('a bot is refused with the report, on a phone', async t => {
	const file = archive(t, 'mine', false);

	await withLadder(t, async (base, token) => {
		const page = await t.open(base, PHONE);

		await fill(page, file, token);
		await look(t, page, 'page-submit-phone-light');
		await send(page);
		assert.strictEqual(await page.locator('#state').textContent(), 'refused');
		await page.locator('#why').filter({hasText: 'the bot failed'}).waitFor();
		await page.locator('pre').filter({hasText: 'no cards <b id=hacked>'}).first().waitFor();
		await look(t, page, 'page-submission-refused-phone-light');
		await page.getByRole('link', {name: 'submit another'}).click();
		/* Of this tab: it need not be typed again. */
		assert.strictEqual(await page.getByLabel('Token').inputValue(), token);
		await page.close();
	});
});

test('a wrong token and a file that is too large are said to be so', async t => {
	const file = archive(t, 'mine', false);
	const large = path.join(t.folder, 'large.tar');

	fs.writeFileSync(large, Buffer.alloc((32 << 20) + 1));
	await withLadder(t, async (base, token) => {
		const page = await t.open(base);

		await fill(page, file, token + 'x');
		await page.getByRole('button', {name: 'Submit'}).click();
		await page.getByRole('alert').filter({hasText: 'does not know the token'}).waitFor();
		await page.getByLabel('Archive').setInputFiles(large);
		await page.getByLabel('Token').fill(token);
		await page.getByRole('button', {name: 'Submit'}).click();
		await page.getByRole('alert').filter({hasText: 'at most 32 MiB'}).waitFor();
		await page.close();
		t.errors = t.errors.filter(error => !/401/.test(error));
	});
});

run();
