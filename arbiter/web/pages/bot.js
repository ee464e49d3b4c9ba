/* One bot: versions, results, thinking times, faults. */
'use strict';

(() => {
	const {el, svg} = Dom;
	const {table, query, duration, time, token} = Site;

	function split(one) {
		const part = n => `${(100 * n / one.met).toFixed(2)}%`;
		const text = `${one.won} won, ${one.tied} tied, ${one.lost} lost`;

		return svg('svg', {role: 'img', 'aria-label': text}, svg('title', {}, text),
			svg('rect', {class: 'won', x: 0, width: part(one.won), height: 12}),
			svg('rect', {class: 'tied', x: part(one.won), width: part(one.tied), height: 12}),
			svg('rect', {class: 'lost', x: part(one.won + one.tied), width: part(one.lost), height: 12}));
	}

	function opponents(site, bot) {
		return table([['Against'], ['Won', 'num'], ['Tied', 'num'], ['Lost', 'num'], [el('span', {class: 'unseen'}, 'Shares'), 'split']],
			bot.opponents.map(one => el('tr', {},
				el('th', {scope: 'row', class: 'name'}, site.bot(one.entrant)),
				el('td', {class: 'num'}, String(one.won)), el('td', {class: 'num'}, String(one.tied)),
				el('td', {class: 'num'}, String(one.lost)), el('td', {class: 'split'}, split(one)))));
	}

	function seats(bot) {
		return table([['Seat'], ['Matches', 'num'], ['First', 'num'], ['Mean rank', 'num'], ['Mean score', 'num wide']],
			bot.seats.map(one => el('tr', {}, el('th', {scope: 'row'}, String(one.seat)),
				el('td', {class: 'num'}, String(one.matches)),
				el('td', {class: 'num'}, `${Math.round(100 * one.first / one.matches)} %`),
				el('td', {class: 'num'}, one.rank.toFixed(2)), el('td', {class: 'num wide'}, one.score.toFixed(1)))));
	}

	/* Bands double; those without a match between others are drawn too. */
	function histogram(bands) {
		const first = Math.log2(bands[0].from_us), last = Math.log2(bands[bands.length - 1].from_us);
		const count = new Map(bands.map(band => [Math.log2(band.from_us), band.matches]));
		const most = Math.max(...count.values()), n = last - first + 1;
		const width = 480, step = Math.min(48, width / n), bars = [];

		for (let band = first; band <= last; band++) {
			const matches = count.get(band) || 0, height = 120 * matches / most;

			bars.push(svg('g', {}, svg('title', {}, `${duration(2 ** band)} to ${duration(2 ** (band + 1))}: ${matches} matches`),
				svg('rect', {class: 'dot', x: (band - first) * step + 2, width: step - 4, y: 124 - height, height, rx: 2}),
				(band - first) % Math.ceil(n / 6) === 0 && svg('text', {class: 'axis', x: (band - first) * step + 2, y: 142},
					duration(2 ** band))));
		}
		return svg('svg', {viewBox: `0 0 ${width} 150`, role: 'img', 'aria-label': 'Matches by mean time for a decision'}, ...bars);
	}

	function thinking({thinking: t}) {
		if (!t.bands.length)
			return [el('p', {}, 'It has made no decisions yet.')];
		return [el('div', {class: 'plot'}, histogram(t.bands)),
			el('p', {class: 'quiet'}, `Matches by mean time for a decision. ${t.decisions} decisions, `
				+ `${duration(t.total_us / t.decisions)} on average, ${duration(t.longest_us)} at most.`)];
	}

	function fault(site, one) {
		return el('div', {class: 'fault'},
			el('p', {}, el('b', {class: 'bad'}, one.class), `, seat ${one.seat}, `,
				el('a', {href: site.to('match', {set: one.set, rotation: one.rotation})}, `match ${one.set}-${one.rotation}`),
				', ', time(one.start)),
			el('p', {}, one.why || one.phase), one.stderr && el('pre', {}, one.stderr));
	}

	function versions(site, bot) {
		return table([['Version'], ['Hash', 'wide'], ['Entered'], ['Sets', 'num'], ['State']],
			bot.versions.map(one => el('tr', {class: one.id === bot.id ? undefined : 'out'},
				el('th', {scope: 'row'}, one.id === bot.id ? one.version || '–'
					: el('a', {href: site.to('bot', {bot: one.id})}, one.version || '–')),
				el('td', {class: 'wide'}, el('code', {}, one.hash.slice(0, 12))), el('td', {}, time(one.added)),
				el('td', {class: 'num'}, String(one.sets)), el('td', {}, one.state))));
	}

	/* A narrow window may have to scroll it, so that it can be reached by keyboard. */
	function section(title, ...content) {
		return el('section', {class: 'box', tabindex: '0', 'aria-label': title}, el('h2', {}, title), ...content);
	}

	function facts(bot, standing) {
		const rating = standing && standing.low !== null
			? `${Math.round(standing.elo)} (${Math.round(standing.low)} to ${Math.round(standing.high)})`
			: standing && String(Math.round(standing.elo));

		return el('div', {class: 'facts'},
			standing && standing.place ? el('span', {}, 'place ', el('b', {}, String(standing.place))) : null,
			standing ? el('span', {}, 'rating ', el('b', {}, rating)) : null,
			bot.author ? el('span', {}, 'by ', el('b', {}, bot.author)) : null,
			bot.language ? el('span', {}, bot.language) : null,
			standing ? el('span', {}, el('b', {}, String(standing.matches)), ' matches') : null);
	}

	/* The owner's token shows the rest; it is stored until the tab is closed. */
	function ownerForm(site) {
		const secret = el('input', {type: 'password', id: 'token', required: true, autocomplete: 'off',
			spellcheck: 'false', maxlength: 100});
		const words = el('p', {class: 'bad', role: 'alert'});
		const path = `bots/${Number(query.get('bot')) || 0}.json`;

		async function show(event) {
			event.preventDefault();
			try {
				const bot = await site.load(path, secret.value.trim());

				if (!bot.mine)
					throw new Error('This token does not belong to the owner of this bot.');
				token.set(site.ladder.id, secret.value.trim());
				draw(site, bot);
			} catch (error) {
				words.textContent = error.message;
			}
		}

		return el('form', {class: 'owner', onsubmit: show},
			el('label', {for: 'token'}, 'What it wrote and the evidence are shown to its owner:'),
			el('span', {class: 'actions'}, secret, el('button', {}, 'Show')), words);
	}

	function faults(site, bot) {
		const count = bot.seats.reduce((sum, seat) => sum + seat.faults, 0);

		if (!bot.faults.length)
			return [el('p', {}, 'None.')];
		return [el('p', {}, count > bot.faults.length ? `${count}, of which these are the last.` : `${count}.`),
			!bot.mine && site.live ? ownerForm(site) : null, ...bot.faults.map(one => fault(site, one))];
	}

	function draw(site, bot) {
		document.title = `${bot.name} · Pigpen`;
		site.show(el('h1', {class: 'name'}, bot.name,
			bot.state !== 'active' && el('span', {class: 'tag bad'}, bot.state)),
		facts(bot, site.bots.get(bot.id)),
		bot.state !== 'active' && bot.reason ? el('p', {class: 'bad'}, `${bot.state}: ${bot.reason}`) : null,
		el('p', {}, el('a', {href: site.to('matches', {bot: bot.id})}, 'all its matches')),
		el('div', {class: 'columns'},
			section('By opponent', opponents(site, bot)),
			section('By seat', seats(bot)),
			section('Thinking time', ...thinking(bot)),
			section('Versions', versions(site, bot))),
		el('section', {class: 'box'}, el('h2', {}, 'Faults'),
			...faults(site, bot).filter(Boolean)));
	}

	Site.page(async site => {
		draw(site, await site.loadOwn(`bots/${Number(query.get('bot')) || 0}.json`));
	});
})();
