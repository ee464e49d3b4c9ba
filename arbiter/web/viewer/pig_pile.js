/* Pig Pile: the pile and the pen in the middle; each seat's slop, face-up cards, hand. */
(function () {
	'use strict';

	const Pigpen = window.Pigpen;
	const D = Pigpen.draw;

	const MEANING = {4: 'skips', 8: 'washes', 11: 'turns round'};

	/* The special numbers carry a sign of what they do. */
	function sign(token, w, h) {
		const shapes = {
			4: ['sign', 'M-9 4Q0-8 9 4M3 3L9 4 10-2'],
			8: ['sign-water', 'M0-7C6-1 4 5 0 5S-6-1 0-7Z'],
			11: ['sign', 'M-9 0H9M-5-3L-9 0-5 3M5-3L9 0 5 3'],
		};
		const shape = shapes[token];

		return shape ? [D.svg('path', {class: shape[0], d: shape[1],
			transform: `translate(${w * 0.52} ${h * 0.86}) scale(${w / 46})`})] : [];
	}

	function face(token) {
		if (token === 'W')
			return (w, h) => [
				D.text(w * 0.1, h * 0.26, 'W', 'card-corner', {'font-size': w * 0.3}),
				D.pig(w / 2, h * 0.6, w * 0.32)];
		return (w, h) => [
			D.text(w * 0.1, h * 0.26, token, 'card-corner', {'font-size': w * 0.3}),
			D.text(w * 0.55, h * (MEANING[token] ? 0.68 : 0.76), token, 'card-big',
				{'text-anchor': 'middle', 'font-size': w * 0.5}),
			...sign(token, w, h)];
	}

	function name(token) {
		if (token === 'W')
			return 'wild';
		return MEANING[token] ? `${token} (${MEANING[token]})` : token;
	}

	/* The stack of three: slop below, face-up cards on it, as on the table. */
	function stacks(scene, seat, x, y, width) {
		const {view} = scene;
		const left = view.pub.slop_left[seat].map(Number);
		const turned = scene.move && scene.move.seat === seat && scene.move.text.match(/^slop i=(\d)/);
		const step = Math.min(34, (width - 30) / 5.4);
		const slop = D.svg('g', {'data-zone': 'slop', 'data-seat': seat});

		left.forEach((position, i) => slop.append(D.card(x + i * step, y + 4,
			view.all ? view.all.slop[seat][position] : null,
			view.all ? face(view.all.slop[seat][position]) : null,
			{width: 30, mark: turned && Number(turned[1]) === position,
				label: 'slop ' + (view.all ? view.all.slop[seat][position] : 'unknown')})));
		const up = D.row({x: x + 3 * step + 6, y: y + 4, width: 2.2 * step + 32, cardWidth: 30,
			cards: view.pub.up[seat], face, name, zone: 'up', seat,
			marks: view.pub.hand_count[seat] ? [] : D.marked(scene, seat)});

		return [D.text(x, y - 3, 'slop', 'caption'),
			D.text(x + 3 * step + 6, y - 3, 'face up', 'caption'), slop, up];
	}

	function chosen(scene, seat, box) {
		const cards = scene.view.all ? scene.view.all.chosen[seat]
			: scene.view.seat === seat ? scene.view.me.chosen : null;

		if (!cards || cards[0] === null)
			return null;
		return D.text(box.x + 10, box.y + 82, 'chosen: ' + cards.join(' '), 'caption',
			{'data-chosen': cards.join(' ')});
	}

	function seat(scene, s, box) {
		const {pub} = scene.view;
		const out = pub.out.slice(0, pub.out_count).indexOf(s);
		const hand = D.cardsOf(scene.view, 'hand', s, pub.hand_count[s]);
		const dealer = pub.dealer === s;

		return D.svg('g', {},
			D.panel(scene, s, box, {room: 60}),
			D.pig(box.x + box.w - 74, box.y + 17, 8), 
			D.text(box.x + box.w - 108, box.y + 21, pub.pigs[s] + ' ×', 'score'),
			out >= 0 && D.chip(box.x + 10, box.y + 34, out ? 'out second' : 'out first', 'chip-good'),
			out < 0 && stacks(scene, s, box.x + 10, box.y + 44, box.w - 20),
			dealer && D.chip(box.x + box.w - 58, box.y + 34, 'dealer'),
			chosen(scene, s, {x: box.x + box.w / 2 + 10, y: box.y - 30}),
			D.row({x: box.x + 10, y: box.y + 100, width: box.w - 20, cards: hand, face, name,
				cardWidth: 36, zone: 'hand', seat: s, marks: pub.hand_count[s] ? D.marked(scene, s) : []}),
			D.text(box.x + box.w - 10, box.y + box.h - 3, pub.hand_count[s] + ' in hand',
				'caption', {'text-anchor': 'end'}));
	}

	function arrow(x, y, clockwise) {
		return D.svg('g', {transform: `translate(${x} ${y}) scale(${clockwise ? 1 : -1} 1)`},
			D.svg('title', {}, clockwise ? 'play goes clockwise' : 'play goes counterclockwise'),
			D.svg('path', {class: 'sign', d: 'M-15 9A18 18 0 1 1 15 9M15 9L17 0M15 9L6 7'}));
	}

	function middle(scene, box) {
		const {pub, all} = scene.view;
		const w = 56, fan = 24, x = box.x + box.w / 2, y = box.y + 26;
		const shown = pub.pile.slice(-Math.max(1, Math.floor((box.w * 0.36 - w) / fan) + 1));
		const pile = D.svg('g', {'data-zone': 'pile'});

		shown.forEach((token, i) => pile.append(D.card(
			x - (w + fan * (shown.length - 1)) / 2 + i * fan, y, token, face(token),
			{width: w, label: name(token)})));
		if (!shown.length)
			pile.append(D.rect(x - w / 2, y, w, 77, 'place', {rx: 6}));
		return D.svg('g', {}, 
			D.rect(box.x, box.y, box.w, box.h, 'felt', {rx: 14}),
			D.text(x, y - 9, `pile of ${pub.pile_count}`, 'caption', {'text-anchor': 'middle'}),
			pile,
			D.at(box.x + 12, y + 4, D.text(21, -8, 'stock', 'caption', {'text-anchor': 'middle'}),
				pub.stock_count ? D.card(0, 0, null) : D.rect(0, 0, 42, 58, 'place'),
				D.text(21, 76, pub.stock_count, 'count', {'text-anchor': 'middle'}),
				all && pub.stock_count > 0 && D.text(21, 90, 'next ' + all.stock[all.stock.length - 1],
					'caption', {'data-stock-top': '', 'text-anchor': 'middle'})),
			D.at(box.x + box.w - 96, y + 4,
				D.text(40, -8, `round ${pub.round}`, 'caption', {'text-anchor': 'middle'}),
				D.pig(22, 22, 15), D.text(42, 27, '× ' + pub.pen, 'count'),
				D.text(40, 52, 'in the pen', 'caption', {'text-anchor': 'middle'}),
				D.text(40, 76, `${pub.washed.length} washed`, 'caption', {'text-anchor': 'middle'})),
			arrow(box.x + box.w * 0.2 + 15, y + 40, pub.direction === 'clockwise'));
	}

	Pigpen.games.pig_pile = {
		draw(scene) {
			const place = D.layout(scene, {centre: 128, panel: 168, narrowest: 230, widest: 560});
			const seats = [...Array(scene.seats).keys()];

			return {height: place.height, nodes: [middle(scene, place.centre),
				...seats.map(s => seat(scene, s, place.seat[s]))]};
		},
		score: (view, seat) => view.pub.pigs[seat],
		verbs: {
			face: 'Turn up three cards', play: 'Play on the pile', take: 'Pick the pile up',
			slop: 'Turn over a slop card, unseen',
		},
		says: {
			round: 'round {n}, seat {dealer} deals',
			deal: '{seat} gets {cards} ({zone})',
			face: '{seat} turns up {cards}',
			turn: '{seat}’s turn',
			play: '{seat} plays {cards} from {zone}',
			slop: '{seat} turns slop card {i}: {cards}',
			take: '{seat} takes {cards}',
			wash: '{seat} washes {n} cards away',
			draw: '{seat} draws {cards}',
			out: '{seat} is out, place {place}',
			reverse: 'play goes {direction}',
			skip: '{seat} loses its turn',
			guard: 'the round is stopped after {turns} turns',
			score: '{seat}: {left} cards left, {pigs} pigs, {total} in all',
			match: 'the match is over: {reason}',
		},
	};
})();
