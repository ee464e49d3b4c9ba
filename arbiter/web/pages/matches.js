/* Lists of matches, newest first. */
'use strict';

(() => {
	const {el} = Dom;
	const {table, query, duration, time} = Site;

	function players(site, match) {
		return match.seats.map((seat, i) => el('span', {class: seat.rank === 1 ? 'first' : undefined},
			i ? ' · ' : '', site.bot(seat.entrant), ` ${seat.score}`,
			seat.fault && el('span', {class: 'tag bad'}, seat.fault)));
	}

	function row(site, match) {
		return el('tr', {},
			el('th', {scope: 'row'}, el('a', {href: site.to('match', {set: match.set, rotation: match.rotation})},
				`${match.set}-${match.rotation}`)),
			el('td', {class: 'players'}, ...players(site, match)),
			el('td', {class: 'wide'}, match.reason),
			el('td', {class: 'num wide'}, duration(match.seconds * 1e6)),
			el('td', {class: 'wide'}, time(match.start)));
	}

	function filters(site, bot, faulted) {
		const go = change => { location.href = site.to('matches', {bot: bot || '', faulted: faulted ? 1 : '', ...change}); };

		return el('div', {class: 'filters', role: 'search', 'aria-label': 'Matches'},
			el('label', {}, 'Bot', el('select', {onchange: event => go({bot: event.target.value})},
				el('option', {value: ''}, 'everybody'), ...site.standings.standings.map(one =>
					el('option', {value: one.id, selected: one.id === bot}, one.name
						+ (one.place ? '' : ` ${one.version} (${one.state})`))))),
			el('label', {}, el('input', {type: 'checkbox', checked: faulted,
				onchange: event => go({faulted: event.target.checked ? 1 : ''})}),
			bot ? 'only those in which it faulted' : 'only those with a fault'));
	}

	function pager(site, list, bot, faulted) {
		const pages = Math.max(1, Math.ceil(list.total / list.size));
		const link = (page, text) => page >= 0 && page < pages
			? el('a', {class: 'button', href: site.to('matches', {bot: bot || '', faulted: faulted ? 1 : '', page: page || ''})}, text)
			: el('span', {});

		return el('nav', {class: 'pager', 'aria-label': 'Pages of the list'}, link(list.page - 1, '← newer'),
			el('span', {class: 'quiet'}, `${list.total} matches, page ${list.page + 1} of ${pages}`),
			link(list.page + 1, 'older →'));
	}

	Site.page(async site => {
		const bot = Number(query.get('bot')) || 0, faulted = query.get('faulted') === '1';
		const name = (bot ? `bot-${bot}` : 'all') + (faulted ? '-faulted' : '');
		const list = await site.load(`lists/${name}/${Number(query.get('page')) || 0}.json`);

		site.show(el('h1', {}, 'Matches'), filters(site, bot, faulted),
			list.matches.length ? el('div', {class: 'box'}, table([['Match'], ['Bots, in the order of seats, with scores'],
				['Ended by', 'wide'], ['Length', 'num wide'], ['Played', 'wide']], list.matches.map(match => row(site, match))))
				: el('p', {class: 'box'}, 'There are no such matches.'),
			pager(site, list, bot, faulted));
	});
})();
