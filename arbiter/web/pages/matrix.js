/* The payoff matrix as a heat map, with rings marked. */
'use strict';

(() => {
	const {el} = Dom;

	/* Green above one half, red below; stronger the further away. */
	function heat(node, score) {
		const share = Math.min(75, Math.abs(score - 0.5) * 150).toFixed(0);

		node.style.backgroundColor =
			`color-mix(in srgb, var(--${score >= 0.5 ? 'good' : 'bad'}) ${share * 0.5}%, var(--paper))`;
		return node;
	}

	/* Points are shares: no interval goes beyond all or nothing. */
	function interval({score, reach}) {
		return `${Math.round(100 * Math.max(0, score - reach))}–${Math.round(100 * Math.min(1, score + reach))}`;
	}

	function cell(site, row, column, known, rings) {
		const found = known.get(`${row.id} ${column.id}`);

		if (row === column)
			return el('td', {class: 'self'}, '–');
		if (!found)
			return el('td', {class: 'self', title: 'they have not met'}, '·');
		const percent = Math.round(100 * found.score);
		const text = `${row.name} gets ${percent} % of the points against ${column.name} in ${found.sets} sets`;

		return heat(el('td', {title: text, class: rings.has(`${row.id} ${column.id}`) ? 'in-ring' : undefined},
			String(percent), el('small', {}, found.reach === null ? '?' : interval(found))),
		found.score);
	}

	function ringText(site, ring) {
		return el('li', {}, site.bot(ring[0]), ' beats ', site.bot(ring[1]), ' beats ', site.bot(ring[2]),
			' beats ', site.bot(ring[0]));
	}

	Site.page(async site => {
		const {cells, rings, luck} = await site.load('matrix.json');
		const bots = site.standings.standings.filter(bot => bot.place);
		const known = new Map(cells.map(one => [`${one.row} ${one.column}`, one]));
		const marked = new Set(rings.flatMap(([a, b, c]) => [`${a} ${b}`, `${b} ${c}`, `${c} ${a}`]));

		site.show(el('h1', {}, 'Who beats whom'),
			el('p', {class: 'quiet'}, 'Percent of the points of the bot at the left against the one above, with the 95 % interval.'),
			el('div', {class: 'box scroll', tabindex: '0', role: 'region', 'aria-label': 'Payoff matrix'},
				el('table', {class: 'heat'},
					el('thead', {}, el('tr', {}, el('td', {class: 'self'}), ...bots.map(bot =>
						el('th', {scope: 'col', title: bot.name}, bot.name)))),
					el('tbody', {}, ...bots.map(row => el('tr', {},
						el('th', {scope: 'row'}, `${row.place} `, site.bot(row.id)),
						...bots.map(column => cell(site, row, column, known, marked))))))),
			el('h2', {}, 'Rings'),
			rings.length ? el('ul', {}, ...rings.map(ring => ringText(site, ring)))
				: el('p', {}, 'No three bots clearly beat each other in a ring.'),
			luck.sets && luck.independent > 0 ? el('p', {class: 'quiet'}, 'A duplicate set has '
				+ `${Math.round(100 * luck.duplicate / luck.independent)} % of the variance of independent deals.`) : null);
	});
})();
