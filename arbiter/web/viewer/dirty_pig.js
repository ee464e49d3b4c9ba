/* Dirty Pig: pigs in the field or in barns, clean or dirty; the hand below. */
(function () {
	'use strict';

	const Pigpen = window.Pigpen;
	const D = Pigpen.draw;

	const NAMES = {mud: 'mud', rain: 'rain', barn: 'barn', bolt: 'lightning',
		rod: 'lightning rod', farmer: 'farmer', lock: 'lock'};

	/* Icons in a box of 40 by 40 about the origin. */
	const ICONS = {
		mud: () => [D.svg('path', {class: 'mud', d: 'M-17 8C-18-2-9-1-8-8-6-16 4-15 6-8 8-3 17-4 17 6 17 14-16 15-17 8Z'}),
			D.svg('circle', {class: 'mud', cx: 14, cy: -11, r: 3}),
			D.svg('circle', {class: 'mud', cx: -14, cy: -10, r: 2.4})],
		rain: () => [D.svg('path', {class: 'cloud', d: 'M-15 2A7 7 0 0 1-11-10 9 9 0 0 1 6-11 7 7 0 0 1 15 2Z'}),
			D.svg('path', {class: 'drops', d: 'M-9 6L-12 14M0 6L-3 14M9 6L6 14'})],
		barn: () => barn(0, 0, 1),
		bolt: () => [D.svg('path', {class: 'bolt', d: 'M3-18L-10 3H-2L-5 18 10-5H2Z'})],
		rod: () => [D.svg('path', {class: 'roof', d: 'M-16 16L0 3 16 16Z'}),
			D.svg('path', {class: 'rod', d: 'M0 4V-13'}), D.svg('circle', {class: 'rod-ball', cy: -14, r: 3.4})],
		farmer: () => [D.svg('path', {class: 'coat', d: 'M-11 17C-11 5 11 5 11 17Z'}),
			D.svg('circle', {class: 'skin', cy: -2, r: 7}),
			D.svg('path', {class: 'hat', d: 'M-14-5H14L9-8 6-16H-6L-9-8Z'})],
		lock: () => [D.svg('path', {class: 'shackle', d: 'M-7-1V-8A7 7 0 0 1 7-8V-1'}),
			D.rect(-11, -2, 22, 17, 'lock', {rx: 3}),
			D.svg('circle', {class: 'pig-dark', cy: 6, r: 2.6})],
	};

	function barn(x, y, k) {
		return [D.svg('g', {transform: `translate(${x} ${y}) scale(${k})`},
			D.svg('path', {class: 'barn', d: 'M-15 16V-3L0-15 15-3V16Z'}),
			D.svg('path', {class: 'roof', d: 'M-19-1L0-17 19-1 16 3 0-10-16 3Z'}),
			D.rect(-8, 1, 16, 15, 'barn-door', {rx: 1}))];
	}

	function icon(token, x, y, size) {
		return D.svg('g', {transform: `translate(${x} ${y}) scale(${size / 40})`},
			...ICONS[token]());
	}

	function face(token) {
		return (w, h) => [icon(token, w / 2, h * 0.42, w * 0.8),
			D.text(w / 2, h - 5, token, 'card-word', {'text-anchor': 'middle'})];
	}

	function aimed(scene, seat, i) {
		const move = scene.move;
		const found = move && move.text.match(/^play \w+(?: to=(\d))? pig=(\d)/);

		return found && Number(found[2]) === i
			&& (found[1] === undefined ? move.seat : Number(found[1])) === seat;
	}

	function onePig(scene, seat, i, flags, x, y, size) {
		const has = word => flags.includes(word);
		const words = flags.length ? flags.join(', ') : 'clean, in the field';
		const k = size / 70;

		return D.svg('g', {
			'data-pig': `${seat}.${i}`, 'data-flags': flags.join('+'),
			transform: `translate(${x + size / 2} ${y + 40 * k}) scale(${k})`,
		},
		D.svg('title', {}, `pig ${i}: ${words}`),
		aimed(scene, seat, i) && D.rect(-33, -42, 66, 88, 'target', {rx: 8}),
		has('barn') ? D.svg('g', {},
			D.svg('path', {class: 'barn', d: 'M-27 38V-6L0-27 27-6V38Z'}),
			D.rect(-19, 0, 38, 38, 'barn-door', {rx: 2}),
			D.svg('path', {class: 'roof', d: 'M-33-3L0-31 33-3 29 4 0-21-29 4Z'}))
			: D.svg('path', {class: 'grass', d: 'M-28 38Q0 26 28 38Z'}),
		has('rod') && D.svg('g', {}, D.svg('path', {class: 'rod', d: 'M14-18V-37'}),
			D.svg('circle', {class: 'rod-ball', cx: 14, cy: -38, r: 3.5})),
		has('dirty') && D.svg('ellipse', {class: 'mud', cy: 36, rx: 24, ry: 5}),
		D.pig(0, 17, has('barn') ? 17 : 20, has('dirty') ? 'pig-dirty' : ''),
		has('dirty') && D.svg('g', {class: 'splash'},
			D.svg('circle', {class: 'mud', cx: -9, cy: 9, r: 3.5}),
			D.svg('circle', {class: 'mud', cx: 11, cy: 22, r: 4}),
			D.svg('circle', {class: 'mud', cx: 8, cy: 5, r: 2.4})),
		has('lock') && D.svg('g', {transform: 'translate(19 30) scale(.6)'}, ...ICONS.lock()),
		D.text(0, 52, i, 'caption', {'text-anchor': 'middle'}));
	}

	function seat(scene, s, box) {
		const {pub} = scene.view;
		const pigs = pub.pigs[s];
		const size = Math.min(70, (box.w - 20) / pigs.length);
		const dirty = pigs.filter(flags => flags.includes('dirty')).length;

		return D.svg('g', {},
			D.panel(scene, s, box, {room: 90}),
			D.chip(box.x + box.w - 150, box.y + 8, `${dirty} of ${pigs.length} dirty`,
				dirty === pigs.length ? 'chip-good' : ''),
			pigs.map((flags, i) => onePig(scene, s, i, flags,
				box.x + 10 + (box.w - 20 - size * pigs.length) / 2 + i * size, box.y + 36, size)),
			D.row({x: box.x + 10, y: box.y + 140, width: box.w - 20, centred: true, face,
				name: token => NAMES[token] || token, zone: 'hand', seat: s,
				cards: D.cardsOf(scene.view, 'hand', s, pub.hand_size[s]),
				marks: D.marked(scene, s).slice(0, 1)}));
	}

	function middle(scene, box) {
		const {pub, all} = scene.view;
		const counts = {};
		const x = box.x + 20, y = box.y + 24;

		for (const token of pub.discard)
			counts[token] = (counts[token] || 0) + 1;
		const kinds = Object.keys(counts);
		const step = Math.min(56, (box.w - 150) / 7);

		return D.svg('g', {},
			D.rect(box.x, box.y, box.w, box.h, 'felt', {rx: 14}),
			D.text(x + 21, y - 8, 'stack', 'caption', {'text-anchor': 'middle'}),
			pub.stack_size ? D.card(x, y, null) : D.rect(x, y, 42, 58, 'place'),
			D.text(x + 21, y + 74, pub.stack_size, 'count', {'text-anchor': 'middle'}),
			all && pub.stack_size > 0 && D.text(x, y + 90, 'next ' + all.stack[all.stack.length - 1],
				'caption', {'data-stock-top': ''}),
			D.text(x + 90, y - 8, `discards: ${pub.discard.length}`, 'caption'),
			D.text(box.x + box.w - 14, y - 8, `turn ${pub.turns + (pub.winner === null ? 1 : 0)}`,
				'caption', {'text-anchor': 'end'}),
			D.svg('g', {'data-zone': 'discard'}, kinds.map((token, i) => D.at(x + 90 + i * step, y,
				D.card(0, 0, token, face(token), {label: NAMES[token]}),
				D.text(21, 74, '× ' + counts[token], 'count', {'text-anchor': 'middle'})))),
			!kinds.length && D.rect(x + 90, y, 42, 58, 'place'));
	}

	Pigpen.games.dirty_pig = {
		draw(scene) {
			const place = D.layout(scene, {centre: 122, panel: 206, narrowest: 300, widest: 480});
			const seats = [...Array(scene.seats).keys()];

			return {height: place.height, nodes: [middle(scene, place.centre),
				...seats.map(s => seat(scene, s, place.seat[s]))]};
		},
		score: (view, seat) =>
			view.pub.pigs[seat].filter(flags => flags.includes('dirty')).length,
		verbs: {
			play: 'Play a card', discard: 'Throw a card away', swap: 'Swap the whole hand',
		},
		says: {
			turn: '{seat} begins',
			deal: '{seat} is dealt {cards}',
			wash: '{seat}’s pig {pig} is clean again',
			lose: '{seat}’s pig {pig} loses {cards}',
			discard: '{seat} discards {cards}',
			swap: '{seat} shows and swaps {cards}',
			draw: '{seat} draws {cards}',
			shuffle: 'the discards become a stack of {n}',
			guard: 'the match is stopped after {n} turns',
			score: '{seat} has {n} dirty pigs',
			match: 'the match is over; winner: {seat}',
			play: event => `{seat} plays {cards}`
				+ (event.to !== null ? ' on seat {to}’s pig {pig}' : event.pig >= 0 ? ' on pig {pig}' : ''),
		},
	};
})();
