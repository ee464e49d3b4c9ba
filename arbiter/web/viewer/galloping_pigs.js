/* Galloping Pigs: the track as an oval with the five pigs; food in the middle. */
(function () {
	'use strict';

	const Pigpen = window.Pigpen;
	const D = Pigpen.draw;
	const SPACES = 22;
	const PIGS = ['A', 'B', 'C', 'D', 'E'];

	function face(token) {
		return (w, h) => [D.rect(3, 3, w - 6, h - 6, 'colour-' + token, {rx: 3}),
			D.pig(w / 2, h * 0.58, w * 0.32, 'pig-' + token),
			D.text(6, 15, token, 'card-rank card-on-colour')];
	}

	function apple(x, y, size) {
		return D.svg('g', {class: 'food', transform: `translate(${x} ${y}) scale(${size / 20})`},
			D.svg('path', {class: 'apple', d: 'M0-5C6-10 11-4 9 2 7 9 3 11 0 9-3 11-7 9-9 2-11-4-6-10 0-5Z'}),
			D.svg('path', {class: 'stalk', d: 'M0-5Q0-9 3-11'}));
	}

	/* A point on the middle line of the track, which is two straights and two bends;
	 * space 1 lies where the lower straight begins at the left. */
	function point(box, share) {
		const r = box.h / 2, straight = box.w - box.h;
		const length = 2 * straight + 2 * Math.PI * r;
		let way = ((share % 1) + 1) % 1 * length;

		if (way < straight)
			return [box.x + r + way, box.y + box.h];
		way -= straight;
		if (way < Math.PI * r)
			return [box.x + box.w - r + r * Math.sin(way / r), box.y + r + r * Math.cos(way / r)];
		way -= Math.PI * r;
		if (way < straight)
			return [box.x + box.w - r - way, box.y];
		way -= straight;
		return [box.x + r - r * Math.sin(way / r), box.y + r - r * Math.cos(way / r)];
	}

	function spaceOf(distance) {
		return (distance - 1) % SPACES + 1;
	}

	function track(scene, box) {
		const {pub} = scene.view;
		const line = {x: box.x + 30, y: box.y + 30, w: box.w - 60, h: box.h - 60};
		const r = line.h / 2;
		const where = space => point(line, (space - 0.5) / SPACES);
		const nodes = [D.svg('rect', {class: 'track', x: line.x, y: line.y, width: line.w,
			height: line.h, rx: r})];
		const [sx, sy] = point(line, 5 / SPACES);
		const lead = Math.max(...pub.distance);

		nodes.push(D.svg('path', {class: 'start-line', d: `M${sx} ${sy - 20}V${sy + 20}`}));
		for (let space = 1; space <= SPACES; space++) {
			const [x, y] = where(space);

			nodes.push(D.svg('circle', {class: 'space', cx: x, cy: y, r: 12}),
				D.text(x, y + 4, space, 'space-number', {'text-anchor': 'middle'}));
		}
		pub.track_food.forEach(space => {
			if (space)
				nodes.push(apple(...where(space), 20));
		});
		pub.distance.forEach((distance, i) => {
			if (!distance)
				return;
			const [x, y] = where(spaceOf(distance));

			nodes.push(D.svg('g', {'data-runner': PIGS[i], 'data-distance': distance},
				D.svg('title', {}, `pig ${PIGS[i]} has run ${distance}, space ${spaceOf(distance)}`),
				distance === lead && D.svg('circle', {class: 'leader', cx: x, cy: y, r: 20}),
				D.pig(x, y, 17, 'pig-' + PIGS[i]),
				D.text(x, y - 8, PIGS[i], 'runner', {'text-anchor': 'middle'})));
		});
		return nodes;
	}

	/* Inside the oval: the food left, the race so far, the cards played. */
	function infield(scene, box) {
		const {pub} = scene.view;
		const x = box.x + 62, w = box.w - 124, middle = box.x + box.w / 2;
		const recent = pub.pile.slice(-Math.floor((w - 32) / 17));
		const ranking = PIGS.map((pig, i) => [pub.distance[i], pig])
			.filter(entry => entry[0]).sort((a, b) => b[0] - a[0]);

		return [
			apple(middle - 56, box.y + 74, 22),
			D.text(middle - 42, box.y + 79, `× ${pub.stock} left`, 'count'),
			D.text(middle + 50, box.y + 79, `round ${pub.round}`, 'caption'),
			D.at(middle - ranking.length * 23, box.y + 112, ...ranking.map(([distance, pig], i) =>
				D.at(i * 46, 0, D.rect(0, -13, 42, 20, 'colour-' + pig, {rx: 10}),
					D.text(21, 2, `${pig} ${distance}`, 'on-colour', {'text-anchor': 'middle'})))),
			recent.length > 0 && D.row({x: x + 8, y: box.y + 136, width: w - 16, cardWidth: 28,
				cards: recent, face, zone: 'pile', centred: true,
				name: token => 'card ' + token}),
			recent.length < pub.pile.length && D.text(middle, box.y + 190,
				`the last ${recent.length} of ${pub.pile.length} cards`, 'caption',
				{'text-anchor': 'middle'}),
		];
	}

	function apples(x, y, n, label, width) {
		const step = Math.min(16, (width - 78) / Math.max(1, n));

		return D.svg('g', {}, D.text(x, y + 4, label, 'caption'),
			D.text(x + 62, y + 5, n, 'count', {'text-anchor': 'end'}),
			...Array(n).fill(0).map((_, i) => apple(x + 76 + i * step, y, 15)));
	}

	function seat(scene, s, box) {
		const {pub} = scene.view;
		const half = box.w / 2 - 10;

		return D.svg('g', {},
			D.panel(scene, s, box, {room: 60}),
			pub.starter === s && D.chip(box.x + box.w - 124, box.y + 8, 'starter'),
			apples(box.x + 10, box.y + 42, pub.left[s], 'at stake', half),
			apples(box.x + 10 + half, box.y + 42, pub.kept[s], 'kept', half),
			D.row({x: box.x + 10, y: box.y + 60, width: box.w - 20, face, zone: 'hand', seat: s,
				name: token => 'card ' + token, marks: D.marked(scene, s),
				cards: D.cardsOf(scene.view, 'hand', s, pub.hand_size[s])}));
	}

	Pigpen.games.galloping_pigs = {
		draw(scene) {
			const narrow = scene.width < 680;
			const place = D.layout(scene, {centre: narrow ? 230 : 256, panel: 126, narrowest: 300, widest: 560});
			const c = place.centre;
			const w = Math.min(c.w, 820);
			const box = {x: c.x + (c.w - w) / 2, y: c.y, w, h: c.h};
			const seats = [...Array(scene.seats).keys()];

			return {height: place.height, nodes: [
				D.rect(c.x, c.y, c.w, c.h, 'felt', {rx: 14}),
				...track(scene, box), ...infield(scene, box),
				...seats.map(s => seat(scene, s, place.seat[s]))]};
		},
		score: (view, seat) => view.pub.kept[seat],
		verbs: {
			play: 'Move the pig of this colour', line: 'Line the pigs up, first to last',
			food: 'Put a food on this space',
		},
		says: {
			round: 'round {n}, seat {starter} starts',
			line: '{seat} lines up {order}, rear to front',
			deal: event => event.seat === null ? '{cards} put aside' : '{seat} is dealt {cards}',
			food: '{seat} puts food on space {at}',
			play: '{seat} plays {cards}',
			move: 'pig {pig} runs from {from} to {to}',
			eat: event => event.why === 'lead' ? '{seat} takes a food for the lead' : '{seat} finds a food',
			keep: '{seat} keeps {n} foods',
			lose: event => event.seat === null ? '{n} foods leave the track' : '{seat} loses {n} foods',
			score: '{seat} has kept {kept}',
			match: 'the match is over',
		},
	};
})();
