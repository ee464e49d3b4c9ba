/*
 * What all pages share. A page is
 *
 *     Site.page(async site => { site.show(...nodes); });
 *
 * and gets the ladder that the address names (site.ladder), its standings (site.standings,
 * site.bot(id)) and whatever else it loads. Text that comes from bots is inserted as text only.
 */
'use strict';

window.Site = (() => {
	const {el} = Dom;
	const query = new URLSearchParams(location.search);
	const pages = [['index', 'Standings'], ['history', 'History'], ['matrix', 'Matrix'],
		['matches', 'Matches']];

	/* A hue for each entrant, the same on every page. */
	function colour(node, id) {
		node.style.setProperty('--c', `hsl(${id * 137.5 % 360} 62% 52%)`);
		return node;
	}

	/* A token is stored until the tab is closed; it belongs to one ladder. */
	const token = {
		get: ladder => sessionStorage.getItem('token ' + ladder),
		set: (ladder, text) => sessionStorage.setItem('token ' + ladder, text),
		drop: ladder => sessionStorage.removeItem('token ' + ladder),
	};

	const authorization = text => text ? {Authorization: 'Bearer ' + text} : {};

	class UnknownToken extends Error {}

	async function load(path, text) {
		const answer = await fetch('api/' + path, {headers: authorization(text)});

		if (answer.status === 401)
			throw new UnknownToken('This ladder does not know the token, or it was revoked.');
		if (!answer.ok)
			throw new Error(answer.status === 404 ? 'There is nothing at this address.'
				: 'The ladder cannot be read just now. Try again in a moment.');
		return answer.json();
	}

	function address(page, parameters) {
		const text = new URLSearchParams(Object.entries(parameters)
			.filter(([, value]) => value !== undefined && value !== '')).toString();

		return `${page}.html${text ? '?' + text : ''}`;
	}

	function duration(us) {
		for (const [unit, size] of [['h', 3600e6], ['min', 60e6], ['s', 1e6], ['ms', 1e3]])
			if (us >= size)
				return `${(us / size).toPrecision(us / size < 100 ? 2 : 3)} ${unit}`;
		return `${Math.round(us)} µs`;
	}

	function time(seconds) {
		const date = new Date(seconds * 1000);

		return el('time', {datetime: date.toISOString()},
			date.toLocaleString(undefined, {dateStyle: 'medium', timeStyle: 'short'}));
	}

	function table(heads, rows, attributes) {
		return el('table', attributes || {},
			el('thead', {}, el('tr', {}, ...heads.map(([text, kind]) =>
				el('th', {scope: 'col', class: kind}, ...[text].flat())))),
			el('tbody', {}, ...rows));
	}

	class Page {
		constructor({ladders, live, play, submit}) {
			this.ladders = ladders;
			this.live = live;
			this.play = play;
			this.submit = submit;
			this.ladder = ladders.find(ladder => ladder.id === query.get('ladder')) || ladders[0];
			this.main = document.getElementById('main');
		}

		load(path, text) {
			return load(`${encodeURIComponent(this.ladder.id)}/${path}`, text);
		}

		/* Includes what only the owner sees, if there is a token; a revoked one is
		 * deleted. */
		async loadOwn(path) {
			const text = token.get(this.ladder.id);

			try {
				return await this.load(path, text);
			} catch (error) {
				if (!(error instanceof UnknownToken))
					throw error;
				token.drop(this.ladder.id);
				return this.load(path);
			}
		}

		async loadStandings() {
			this.standings = await this.load('standings.json');
			this.bots = new Map(this.standings.standings.map(bot => [bot.id, bot]));
		}

		/* A link to a page of this ladder. */
		to(page, parameters) {
			return address(page, {ladder: this.ladders.length > 1 ? this.ladder.id : '', ...parameters});
		}

		name(id) {
			const bot = this.bots.get(id);

			return bot ? bot.name : `entrant ${id}`;
		}

		bot(id, kind) {
			return el('a', {href: this.to('bot', {bot: id}), class: kind}, this.name(id));
		}

		show(...nodes) {
			this.main.removeAttribute('aria-busy');
			this.main.replaceChildren(...nodes.filter(Boolean));
		}

		header() {
			const here = document.body.dataset.page;
			const choice = this.ladders.length > 1 && el('select', {'aria-label': 'Ladder',
				onchange: event => {
					location.href = address(['bot', 'match', 'submission'].includes(here) ? 'index' : here,
						{ladder: event.target.value});
				}}, ...this.ladders.map(ladder => el('option',
				{value: ladder.id, selected: ladder === this.ladder}, ladder.id)));

			document.getElementById('top').replaceChildren(
				el('a', {class: 'skip', href: '#main'}, 'to the content'),
				el('a', {class: 'brand', href: './index.html'},
					el('img', {src: 'pages/icon.svg', width: 28, height: 28, alt: ''}), 'Pigpen'),
				...(choice ? [choice] : []),
				el('nav', {'aria-label': 'Pages'}, ...[...pages, ...(this.live ? [['live', 'Live']] : []),
					...(this.play ? [['play', 'Play']] : []),
					...(this.submit ? [['submit', 'Submit']] : [])].map(([page, title]) => el('a',
					{href: this.to(page, {}), 'aria-current': page === here ? 'page' : undefined}, title))));
		}
	}

	async function page(body) {
		const main = document.getElementById('main');

		try {
			const site = new Page(await load('ladders.json'));

			site.header();
			await site.loadStandings();
			await body(site);
		} catch (error) {
			main.removeAttribute('aria-busy');
			main.replaceChildren(el('p', {class: 'bad', role: 'alert'}, error.message));
		}
	}

	return {table, colour, query, address, duration, time, page, token, authorization};
})();
