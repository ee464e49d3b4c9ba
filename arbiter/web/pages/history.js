/* Ratings over time, one line for each bot. */
'use strict';

(() => {
	const {el, svg} = Dom;
	const {colour} = Site;
	const HEIGHT = 420, LEFT = 46, BOTTOM = 34, TOP = 10, RIGHT = 12;

	/* A point is [epoch, planned, elo, low, high, sets]. */
	function frame(series, width) {
		const points = series.flatMap(one => one.points);
		const epochs = points.map(point => point[0]);
		const elos = points.map(point => point[2]);
		const [e0, e1] = [Math.min(...epochs), Math.max(...epochs)];
		const low = Math.min(...elos) - 40, high = Math.max(...elos) + 40;

		return {width, e0, e1, low, high,
			x: epoch => LEFT + (width - LEFT - RIGHT) * (e1 > e0 ? (epoch - e0) / (e1 - e0) : 0.5),
			y: elo => TOP + (HEIGHT - TOP - BOTTOM) * (high - Math.max(low, Math.min(high, elo))) / (high - low)};
	}

	function grid(f) {
		const step = [10, 20, 50, 100, 200, 500, 1000].find(size => (f.high - f.low) / size <= 8) || 2000;
		const nodes = [];

		for (let elo = Math.ceil(f.low / step) * step; elo <= f.high; elo += step)
			nodes.push(svg('line', {class: 'grid', x1: LEFT, x2: f.width - RIGHT, y1: f.y(elo), y2: f.y(elo)}),
				svg('text', {class: 'axis', x: LEFT - 8, y: f.y(elo) + 4, 'text-anchor': 'end'}, String(elo)));
		const every = Math.max(1, Math.ceil((f.e1 - f.e0) / Math.max(2, f.width / 90)));

		for (let epoch = f.e0; epoch <= f.e1; epoch += every)
			nodes.push(svg('text', {class: 'axis', x: f.x(epoch), y: HEIGHT - 14, 'text-anchor': 'middle'}, String(epoch)));
		nodes.push(svg('text', {class: 'axis', x: f.width - RIGHT, y: HEIGHT, 'text-anchor': 'end'}, 'epoch'));
		return nodes;
	}

	function path(points, x, y) {
		return points.map((point, i) => `${i ? 'L' : 'M'}${x(point).toFixed(1)} ${y(point).toFixed(1)}`).join('');
	}

	function line(one, f, name, chosen) {
		const x = point => f.x(point[0]);
		const bounded = one.points.filter(point => point[3] !== null);
		const last = one.points[one.points.length - 1];
		const band = chosen === one.entrant && bounded.length > 1 && svg('path', {class: 'band',
			d: path(bounded, x, point => f.y(point[4]))
				+ path([...bounded].reverse(), x, point => f.y(point[3])).replace('M', 'L') + 'Z'});

		return colour(svg('g', {class: chosen && chosen !== one.entrant ? 'faint' : undefined},
			svg('title', {}, `${name}: ${Math.round(last[2])} before epoch ${last[0]}, ${last[5]} sets`),
			band || null, svg('path', {class: 'line', d: path(one.points, x, point => f.y(point[2]))}),
			svg('circle', {class: 'end', cx: x(last), cy: f.y(last[2]), r: 4})), one.entrant);
	}

	Site.page(async site => {
		const {entrants} = await site.load('history.json');
		const series = entrants.filter(one => site.bots.get(one.entrant)?.place);
		const plot = el('div', {class: 'plot'}), legend = el('div', {class: 'legend', role: 'group', 'aria-label': 'Bots'});
		let chosen = 0;

		series.sort((a, b) => site.bots.get(a.entrant).place - site.bots.get(b.entrant).place);

		function draw() {
			const width = Math.max(280, plot.clientWidth);
			const f = frame(series, width);

			plot.replaceChildren(svg('svg', {viewBox: `0 0 ${width} ${HEIGHT}`, height: HEIGHT, role: 'img',
				'aria-label': 'Ratings before each epoch'}, ...grid(f),
			...series.map(one => line(one, f, site.name(one.entrant), chosen))));
			legend.replaceChildren(...series.map(one => el('button', {type: 'button',
				'aria-pressed': String(chosen === one.entrant), onclick: () => {
					chosen = chosen === one.entrant ? 0 : one.entrant;
					const at = series.indexOf(one);

					draw();
					legend.children[at].focus();
				}}, colour(el('span', {class: 'blob'}), one.entrant), site.name(one.entrant))));
		}

		site.show(el('h1', {}, 'Rating history'),
			el('p', {class: 'quiet'}, 'Ratings as they stood before each epoch. Choose a bot to see its 95 % interval.'),
			el('div', {class: 'box'}, series.length ? plot : el('p', {}, 'Nothing has been played.'), legend));
		if (series.length) {
			draw();
			addEventListener('resize', draw);
		}
	});
})();
