/* One match: its seats, its result and its replay. */
'use strict';

(() => {
	const {el} = Dom;
	const {table, query, duration, time, token, authorization} = Site;

	function row(site, seat, i) {
		const fault = seat.fault && [el('b', {class: 'bad'}, seat.fault), `, ${seat.fault_why || seat.fault_phase}`,
			seat.fault_stderr && el('pre', {}, seat.fault_stderr)];

		return el('tr', {}, el('td', {class: 'num'}, String(i)),
			el('th', {scope: 'row', class: 'name'}, site.bot(seat.entrant),
				seat.version && el('span', {class: 'tag wide'}, seat.version)),
			el('td', {class: 'num'}, String(seat.score)), el('td', {class: 'num'}, String(seat.rank)),
			el('td', {class: 'num wide'}, String(seat.decisions)),
			el('td', {class: 'num wide'}, seat.decisions ? duration(seat.think_us / seat.decisions) : '–'),
			el('td', {class: 'num wide'}, duration(seat.think_us_max)),
			el('td', {class: 'name'}, ...(fault || [])));
	}

	function rotations(site, match) {
		const links = [];

		for (let rotation = 0; rotation < match.rotations; rotation++)
			links.push(rotation === match.rotation ? el('b', {}, String(rotation))
				: el('a', {href: site.to('match', {set: match.set, rotation})}, String(rotation)), ' ');
		return el('span', {}, 'the same deals, rotation ', ...links);
	}

	function facts(site, match, path) {
		const text = match.seats.some(seat => seat.fault) && token.get(site.ladder.id);

		/* With a fault in it the file is for the owner only, and a link sends no token. */
		async function download(event) {
			if (!text)
				return;
			event.preventDefault();
			const answer = await fetch(event.target.href, {headers: authorization(text)});
			const link = el('a', {href: URL.createObjectURL(await answer.blob()), download: event.target.download});

			link.click();
			URL.revokeObjectURL(link.href);
		}

		return el('div', {class: 'facts'}, el('span', {}, time(match.start)),
			el('span', {}, `took ${duration(match.seconds * 1e6)}`), el('span', {}, `ended by ${match.reason}`),
			rotations(site, match),
			match.file ? el('a', {href: `api/${site.ladder.id}/${path}/replay`,
				download: `${match.set}-${match.rotation}.replay`, onclick: download}, 'replay file') : null);
	}

	Site.page(async site => {
		const path = `matches/${Number(query.get('set')) || 0}-${Number(query.get('rotation')) || 0}`;
		const match = await site.loadOwn(path + '.json');
		const board = el('div', {class: 'box'});

		document.title = `Match ${match.set}-${match.rotation} · Pigpen`;
		site.show(el('h1', {}, `Match ${match.set}-${match.rotation}`), facts(site, match, path),
			el('div', {class: 'box scroll'}, table([['Seat', 'num'], ['Bot'], ['Score', 'num'], ['Rank', 'num'],
				['Decisions', 'num wide'], ['Mean time', 'num wide'], ['Longest', 'num wide'], ['Fault']],
			match.seats.map((seat, i) => row(site, seat, i)))), board);
		if (match.replay)
			window.replay = Pigpen.mount(board, await site.load(path + '/viewer.json'), {fragment: true});
		else
			board.append(el('p', {}, 'The replay of this match was not kept.'));
	});
})();
