/*
 * Drawing: SVG elements, cards, pigs, seat panels and where they lie. The games' files
 * put them together. All lengths are CSS pixels; nothing is scaled, so that text stays
 * readable at every width.
 */
(function () {
	'use strict';

	const Pigpen = window.Pigpen;
	const {svg} = window.Dom;

	function text(x, y, content, className, attributes) {
		return svg('text', Object.assign({x, y, class: className || 'label'}, attributes),
			String(content));
	}

	function rect(x, y, width, height, className, attributes) {
		return svg('rect', Object.assign(
			{x, y, width, height, rx: 6, class: className}, attributes));
	}

	function at(x, y, ...children) {
		return svg('g', {transform: `translate(${x} ${y})`}, ...children);
	}

	/* About as many characters as fit. */
	function clip(content, width, size) {
		const max = Math.max(1, Math.floor(width / ((size || 13) * 0.56)));

		return content.length > max ? content.slice(0, max - 1) + '…' : content;
	}

	const SUITS = {
		S: 'M0-9C3-5 8-1 8 3 8 7 3 8 1 5L3 10H-3L-1 5C-3 8-8 7-8 3-8-1-3-5 0-9Z',
		H: 'M0 9C-4 4-9 1-9-4-9-8-4-10 0-5 4-10 9-8 9-4 9 1 4 4 0 9Z',
		D: 'M0-10L7 0 0 10-7 0Z',
		C: 'M0-10A4.3 4.3 0 0 1 4-3.4 4.3 4.3 0 1 1 1.2 3.6L3 10H-3L-1.2 3.6A4.3 4.3 0 1 1-4-3.4 4.3 4.3 0 0 1 0-10Z',
	};
	const SUIT_NAMES = {S: 'spades', H: 'hearts', D: 'diamonds', C: 'clubs'};

	function suit(x, y, letter, size) {
		return svg('path', {
			d: SUITS[letter], class: 'suit-' + letter,
			transform: `translate(${x} ${y}) scale(${size / 20})`,
		});
	}

	/* A pig's face in a circle of radius r. */
	function pig(x, y, r, className) {
		const k = r / 20;

		return svg('g', {
			class: 'pig ' + (className || ''),
			transform: `translate(${x} ${y}) scale(${k})`,
		},
		svg('path', {class: 'pig-ear', d: 'M-16-8L-17-21-5-16ZM16-8L17-21 5-16Z'}),
		svg('circle', {class: 'pig-head', r: 18}),
		svg('ellipse', {class: 'pig-snout', cy: 5, rx: 8.5, ry: 6.5}),
		svg('circle', {class: 'pig-dark', cx: -3.2, cy: 5, r: 1.7}),
		svg('circle', {class: 'pig-dark', cx: 3.2, cy: 5, r: 1.7}),
		svg('circle', {class: 'pig-dark', cx: -7, cy: -5, r: 1.9}),
		svg('circle', {class: 'pig-dark', cx: 7, cy: -5, r: 1.9}));
	}

	const CARD = {width: 42, height: 58};

	/*
	 * A card. `draw(w, h)` gives what is on its face; no token is a card face down.
	 * `label` is what a screen reader says and a pointer shows.
	 */
	function card(x, y, token, draw, options) {
		const o = options || {};
		const w = o.width || CARD.width;
		const h = Math.round(w * CARD.height / CARD.width);
		const known = token !== null && token !== undefined;
		const node = svg('g', {
			class: 'card' + (known ? '' : ' card-back') + (o.mark ? ' card-marked' : '')
				+ (o.dim ? ' card-dim' : ''),
			transform: `translate(${x} ${y - (o.mark ? 7 : 0)})`,
			'data-card': known ? token : undefined,
			'data-back': known ? undefined : '',
		}, rect(0, 0, w, h, 'card-paper', {rx: 5}));

		if (known)
			node.append(svg('title', {}, o.label || token), ...draw(w, h));
		else
			node.append(rect(4, 4, w - 8, h - 8, 'card-pattern', {rx: 3}),
				pig(w / 2, h / 2, w * 0.22, 'pig-back'));
		return node;
	}

	/* A playing card such as TS or JK. */
	function playingFace(token) {
		const joker = token === 'JK';
		const rank = joker ? 'JK' : token[0] === 'T' ? '10' : token[0];
		const letter = token[1];

		return (w, h) => joker
			? [text(4, 14, 'JK', 'card-rank'), pig(w / 2, h * 0.6, w * 0.3)]
			: [text(4, 15, rank, 'card-rank suit-' + letter),
				suit(9, 24, letter, 11),
				suit(w * 0.62, h * 0.64, letter, w * 0.5)];
	}

	const RANKS = {T: 'ten', J: 'jack', Q: 'queen', K: 'king', A: 'ace'};

	function playingName(token) {
		if (token === 'JK')
			return 'joker';
		return (RANKS[token[0]] || token[0]) + ' of ' + SUIT_NAMES[token[1]];
	}

	/*
	 * Cards side by side, as close as `width` demands, in a group that says which zone
	 * of which seat it is. `marks`: tokens to be raised.
	 */
	function row(options) {
		const o = options;
		const w = o.cardWidth || CARD.width;
		const n = o.cards.length;
		const step = n > 1 ? Math.min(w + 4, (o.width - w) / (n - 1)) : 0;
		const marks = (o.marks || []).slice();
		const node = svg('g', {'data-zone': o.zone, 'data-seat': o.seat});
		const left = o.centred ? Math.max(0, (o.width - w - step * (n - 1)) / 2) : 0;

		o.cards.forEach((token, i) => {
			const x = o.x + left + i * step;
			const found = token === null ? -1 : marks.indexOf(token);

			if (found >= 0)
				marks.splice(found, 1);
			node.append(token === null ? card(x, o.y, null, null, {width: w})
				: card(x, o.y, token, o.face(token), {
					width: w, mark: found >= 0, label: o.name ? o.name(token) : token,
					dim: o.dim && o.dim(token),
				}));
		});
		return node;
	}

	/* Words on a rounded ground, as wide as they are. */
	function chip(x, y, content, className) {
		const width = content.length * 6.6 + 12;

		return at(x, y, rect(0, 0, width, 18, 'chip ' + (className || ''), {rx: 9}),
			text(width / 2, 13, content, 'chip-text ' + (className || ''),
				{'text-anchor': 'middle'}));
	}

	function chipWidth(content) {
		return content.length * 6.6 + 12;
	}

	/* 0.31 ms, 12.5 ms, 3.20 s, 9:58 */
	function time(ms) {
		if (ms < 10)
			return ms.toFixed(2) + ' ms';
		if (ms >= 60e3)
			return `${Math.floor(ms / 60e3)}:${String(Math.floor(ms / 1000) % 60).padStart(2, '0')}`;
		return ms < 1000 ? ms.toFixed(1) + ' ms' : (ms / 1000).toFixed(2) + ' s';
	}

	/* The frame of a seat: number, name, clock; highlighted if it is to act. */
	function panel(scene, seat, box, options) {
		const o = options || {};
		const active = scene.view.act.includes(seat) && scene.view.need === 'answers';
		const clock = scene.clocks[seat];
		const bank = clock && clock.bank !== undefined ? time(clock.bank) : '';
		const room = box.w - 46 - bank.length * 6.5 - (o.room || 0);
		const name = clip(scene.name(seat), room);

		return svg('g', {'data-panel': seat},
			rect(box.x, box.y, box.w, box.h, 'panel' + (active ? ' panel-active' : '')
				+ (scene.viewer === seat ? ' panel-own' : ''), {rx: 10}),
			svg('circle', {cx: box.x + 18, cy: box.y + 17, r: 10,
				class: 'seat-dot seat-' + seat}),
			text(box.x + 18, box.y + 21, seat, 'seat-number', {'text-anchor': 'middle'}),
			text(box.x + 34, box.y + 21, name, 'seat-name'),
			bank && text(box.x + box.w - 10, box.y + 21, bank, 'clock',
				{'text-anchor': 'end'}));
	}

	/*
	 * Where things lie: {height, wide, centre, seat: [box], corners}. The seat at the
	 * bottom is the viewer's, the others follow clockwise. `cross`: four seats at the
	 * four sides, with free corners (upper left, upper right, lower left).
	 */
	function layout(scene, options) {
		return scene.width < 680 ? column(scene, options)
			: options.cross ? cross(scene, options) : rows(scene, options);
	}

	function around(scene, order) {
		const seats = order || [...Array(scene.seats).keys()];
		const own = Math.max(0, seats.indexOf(scene.viewer));

		return seats.map((_, i) => seats[(own + i) % seats.length]);
	}

	const GAP = 10;

	function column(scene, o) {
		const seat = [];
		const perRow = scene.width >= 480 ? 2 : 1;
		const w = (scene.width - GAP * (perRow - 1)) / perRow;
		let y = o.centre + GAP;

		around(scene, o.order).forEach((s, i) => {
			const x = i % perRow * (w + GAP);

			seat[s] = {x, y: y + Math.floor(i / perRow) * (o.panel + GAP), w, h: o.panel};
		});
		y += Math.ceil(scene.seats / perRow) * (o.panel + GAP) - GAP;
		return {height: y, wide: false, seat,
			centre: {x: 0, y: 0, w: scene.width, h: o.centre}};
	}

	function rows(scene, o) {
		const n = scene.seats, ring = around(scene, o.order);
		const top = ring.slice(1, 1 + Math.ceil(n / 2));
		const bottom = [ring[0], ...ring.slice(1 + Math.ceil(n / 2)).reverse()];
		const most = Math.max(1, Math.floor((scene.width + GAP) / (o.narrowest || 200)));
		const seat = [];
		let y = 0;

		function place(list) {
			const lines = Math.ceil(list.length / most);
			const per = Math.ceil(list.length / lines);
			const w = Math.min((scene.width - GAP * (per - 1)) / per, o.widest || 460);

			list.forEach((s, i) => {
				const inLine = Math.min(per, list.length - Math.floor(i / per) * per);
				const left = (scene.width - inLine * (w + GAP) + GAP) / 2;

				seat[s] = {x: left + i % per * (w + GAP),
					y: y + Math.floor(i / per) * (o.panel + GAP), w, h: o.panel};
			});
			y += lines * (o.panel + GAP);
		}

		place(top);
		const centre = {x: 0, y, w: scene.width, h: o.centre};

		y += o.centre + GAP;
		place(bottom);
		return {height: y - GAP, wide: true, centre, seat};
	}

	function cross(scene, o) {
		const [south, west, north, east] = around(scene, o.order);
		const w = Math.min(330, (scene.width - 2 * GAP) * 0.35);
		const middle = (scene.width - w) / 2;
		const y = o.panel + GAP, end = y + o.centre + GAP;
		const side = y + (o.centre - o.panel) / 2;
		const seat = [];

		seat[north] = {x: middle, y: 0, w, h: o.panel};
		seat[west] = {x: 0, y: side, w, h: o.panel};
		seat[east] = {x: scene.width - w, y: side, w, h: o.panel};
		seat[south] = {x: middle, y: end, w, h: o.panel};
		return {height: end + o.panel, wide: true, seat,
			centre: {x: w + GAP, y, w: scene.width - 2 * w - 2 * GAP, h: o.centre},
			corners: [{x: 0, y: 0, w: middle - GAP, h: side - GAP},
				{x: middle + w + GAP, y: 0, w: middle - GAP, h: side - GAP},
				{x: 0, y: side + o.panel + GAP, w: middle - GAP, h: side - GAP}]};
	}

	/* The cards of a seat's hidden zone: what the viewer knows, else so many backs. */
	function cardsOf(view, field, seat, count) {
		if (view.all)
			return view.all[field][seat];
		if (view.seat === seat)
			return view.me[field];
		return Array(count).fill(null);
	}

	/* The cards of the choice that is shown, if it is this seat's. */
	function marked(scene, seat) {
		return scene.move && scene.move.seat === seat
			? scene.move.text.split(' ').slice(1) : [];
	}

	Pigpen.draw = {
		svg, text, rect, at, clip, suit, pig, card, row, chip, chipWidth, time, panel,
		layout, cardsOf, marked, playingFace, playingName, SUIT_NAMES, CARD,
	};
})();
