/* The first page: a ladder's standings, or the ladders if there are several. */
'use strict';

(() => {
	const {el, svg} = Dom;
	const {table, query, address, time} = Site;
	const REFRESH_MS = 10000;

	function ladderCard(ladder) {
		return el('a', {class: 'box', href: address('index', {ladder: ladder.id})},
			el('h2', {}, ladder.id),
			el('p', {}, `${ladder.title}, ${ladder.seats} seats`),
			el('div', {class: 'facts'}, el('span', {}, el('b', {}, String(ladder.entrants)), ' bots'),
				el('span', {}, el('b', {}, String(ladder.matches)), ' matches')));
	}

	/* Round numbers from low to high, about `count` of them. */
	function ticks(low, high, count) {
		const step = [10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 5000]
			.find(size => (high - low) / size <= count) || 10000;
		const list = [];

		for (let at = Math.ceil(low / step) * step; at <= high; at += step)
			list.push(at);
		return list;
	}

	function scale(bots) {
		const known = bots.flatMap(bot => [bot.elo, bot.low ?? bot.elo, bot.high ?? bot.elo]);
		const low = Math.min(...known) - 20, high = Math.max(...known) + 20;

		return {low, high, ticks: ticks(low, high, innerWidth < 680 ? 2 : 5),
			at: elo => `${(100 * (elo - low) / (high - low)).toFixed(2)}%`};
	}

	function bar(bot, s) {
		const low = bot.low ?? bot.elo, high = bot.high ?? bot.elo;
		const text = bot.low === null ? `${Math.round(bot.elo)}, no interval`
			: `${Math.round(bot.elo)}, between ${Math.round(low)} and ${Math.round(high)}`;
		const width = 100 * (high - low) / (s.high - s.low);

		return svg('svg', {role: 'img', 'aria-label': text},
			svg('title', {}, text),
			...s.ticks.map(tick => svg('line', {class: 'grid', x1: s.at(tick), x2: s.at(tick), y1: 0, y2: 22})),
			svg('rect', {class: 'reach', x: s.at(low), width: `${width.toFixed(2)}%`, y: 6, height: 10, rx: 5}),
			svg('circle', {class: 'dot', cx: s.at(bot.elo), cy: 11, r: 5}));
	}

	function axis(s) {
		return svg('svg', {'aria-hidden': 'true'}, ...s.ticks.map(tick =>
			svg('text', {class: 'axis', x: s.at(tick), y: 15, 'text-anchor': 'middle'}, String(tick))));
	}

	function reach(bot) {
		if (bot.anchor)
			return 'anchor';
		return bot.low === null ? '?' : `±${Math.round((bot.high - bot.low) / 2)}`;
	}

	function row(site, bot, s) {
		const state = bot.state !== 'active' && el('span', {class: 'tag bad', title: bot.reason}, bot.state);

		return el('tr', {class: bot.state === 'active' ? undefined : 'out'},
			el('td', {class: 'num'}, bot.place ? String(bot.place) : ''),
			el('th', {scope: 'row', class: 'name'}, site.bot(bot.id),
				bot.language && el('span', {class: 'tag wide'}, bot.language), state || null),
			el('td', {class: 'num'}, String(Math.round(bot.elo))),
			el('td', {class: 'num quiet wide'}, reach(bot)),
			el('td', {class: 'bar'}, bar(bot, s)),
			el('td', {class: 'num wide'}, String(bot.sets)),
			el('td', {class: 'num wide'}, String(bot.matches)),
			el('td', {class: bot.faults ? 'num bad wide' : 'num wide'}, String(bot.faults)));
	}

	function facts(site) {
		const {ladder, standings} = site;

		return el('div', {class: 'facts'},
			el('span', {}, `${ladder.seats} seats`),
			el('span', {}, el('b', {}, String(standings.sets)), ' duplicate sets'),
			el('span', {}, el('b', {}, String(standings.matches)), ' matches'),
			el('span', {}, `clock ${ladder.clock}`),
			ladder.last ? el('span', {}, 'last result ', time(ladder.last)) : null);
	}

	function draw(site) {
		const bots = site.standings.standings.filter(bot => bot.place);
		const s = bots.length && scale(bots);

		document.title = `${site.ladder.title} · Pigpen`;
		site.show(el('h1', {}, site.ladder.title), facts(site),
			bots.length ? el('div', {class: 'box scroll'}, table([['#', 'num'], ['Bot'], ['Rating', 'num'],
				['95 %', 'num wide'], [[el('span', {class: 'unseen'}, 'Interval'), axis(s)], 'bar'], ['Sets', 'num wide'], ['Matches', 'num wide'],
				['Faults', 'num wide']], bots.map(bot => row(site, bot, s))))
				: el('p', {class: 'box'}, 'Nobody has entered this ladder: ', el('code', {}, 'pigpen ladder add DIR BOT')),
			el('p', {class: 'quiet'}, 'Every set of deals is played once from every seat, so that luck of the '
				+ 'cards cancels. The bar is the 95 % interval of the rating.'));
	}

	Site.page(async site => {
		if (site.ladders.length > 1 && !query.has('ladder')) {
			site.show(el('h1', {}, 'Ladders'), el('div', {class: 'cards'}, ...site.ladders.map(ladderCard)));
			return;
		}
		draw(site);
		setInterval(async () => {
			if (document.hidden || site.main.contains(document.activeElement))
				return;
			/* A link may have got the focus meanwhile, by a click that is under way. */
			await site.loadStandings().then(() => site.main.contains(document.activeElement) || draw(site), () => {});
		}, REFRESH_MS);
	});
})();
