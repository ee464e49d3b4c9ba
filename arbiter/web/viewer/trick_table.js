/* The table of the games in which four play tricks. */
(function () {
	'use strict';

	const Pigpen = window.Pigpen;
	const D = Pigpen.draw;

	/*
	 * Four seats about a trick. `corners`: functions that draw what stands beside the
	 * upper seat (two) and the lower one; on a narrow screen only the first two, above
	 * all.
	 */
	Pigpen.trickTable = function (scene, o) {
		const narrow = scene.width < 680;
		const head = narrow ? 116 : 0;
		const place = D.layout(scene, {cross: true, order: o.order, panel: o.panel,
			centre: o.centre + head});
		const c = place.centre;
		const corners = place.corners || [{x: 0, y: 0, w: c.w / 2, h: head},
			{x: c.w / 2, y: 0, w: c.w / 2, h: head}];
		const ring = o.order || [0, 1, 2, 3];
		const own = Math.max(0, ring.indexOf(scene.viewer));
		const middle = {x: c.x + c.w / 2, y: c.y + head + o.centre / 2};
		const cards = D.svg('g', {'data-zone': 'trick'});
		const nodes = [D.rect(c.x, c.y + head, c.w, o.centre, 'felt', {rx: 14})];

		/* Before a lead the trick that was just taken still lies there, faintly. */
		const over = o.trick.every(token => !token) ? scene.lastTrick : null;
		const trick = over ? over.cards : o.trick;
		const winning = over ? over.winner : o.winning;

		for (let i = 0; i < 4; i++) {
			const s = ring[(own + i) % 4];
			const dx = [0, -1, 0, 1][i] * Math.min(64, c.w / 4);
			const dy = [1, 0, -1, 0][i] * (o.centre / 2 - 48);
			const x = middle.x + dx - 24, y = middle.y + dy - 33;
			const token = trick[s];

			cards.append(D.svg('g', {'data-seat': s},
				token ? D.card(x, y, token, D.playingFace(token),
					{width: 48, label: D.playingName(token), dim: over})
					: D.rect(x, y, 48, 66, 'place'),
				token && winning === s && D.rect(x - 3, y - 3, 54, 72, 'winning', {rx: 8}),
				!token && D.text(x + 24, y + 38, o.leader === s ? 'leads' : s, 'caption',
					{'text-anchor': 'middle'})));
		}
		nodes.push(cards, ...corners.slice(0, o.corners.length)
			.map((box, i) => o.corners[i](scene, box)));
		for (const s of ring)
			nodes.push(o.seat(scene, s, place.seat[s]));
		return {height: place.height, nodes};
	};

	/* What both teams have, in two columns: {caption: [of team 0, of team 1]}. */
	Pigpen.teamScores = function (box, title, columns, ...more) {
		const place = [102, 160];
		const heads = Object.keys(columns).map((caption, i) =>
			D.text(place[i], 18, caption, 'caption', {'text-anchor': 'end'}));
		const rows = [0, 1].map(t => D.at(0, 30 + t * 26, D.chip(0, 0, 'team ' + t, 'team-' + t),
			...Object.values(columns).map((counts, i) =>
				D.text(place[i], 14, counts[t], 'count', {'text-anchor': 'end'}))));

		return D.at(box.x + Math.max(8, box.w / 2 - 84), box.y + 6, D.text(0, 18, title, 'caption'),
			...heads, ...rows, ...more);
	};
})();
