/* Pig It Hog It: four at a table, the trick in the middle, bid and score in the corners. */
(function () {
	'use strict';

	const Pigpen = window.Pigpen;
	const D = Pigpen.draw;

	function callText(pub, seat) {
		const call = pub.call[seat];
		const word = {S: '♠', H: '♥', D: '♦', C: '♣'}[call] || call;

		if (call === 'none')
			return '';
		return pub.call_n[seat] ? `${word} ${pub.call_n[seat]}` : word;
	}

	function team(pub, seat) {
		return pub.position[seat] % 2;
	}

	function seat(scene, s, box) {
		const {pub} = scene.view;
		const {view} = scene;
		const hand = D.cardsOf(view, 'hand', s, pub.hand_count[s]);
		const call = callText(pub, s);
		const given = view.all ? view.all.given[s] : view.seat === s ? view.me.given : null;
		const got = view.all ? view.all.received[s] : view.seat === s ? view.me.received : null;
		let x = box.x + 10;
		const chips = [];

		function add(content, className) {
			if (!content)
				return;
			chips.push(D.chip(x, box.y + 34, content, className));
			x += D.chipWidth(content) + 5;
		}

		add('team ' + team(pub, s), 'team-' + team(pub, s));
		add(pub.dealer === s && 'dealer');
		add(call, pub.bidder === s ? 'chip-good' : '');
		add(pub.tricks[s] && pub.tricks[s] + (pub.tricks[s] > 1 ? ' tricks' : ' trick'), 'chip-won');
		return D.svg('g', {}, D.panel(scene, s, box), ...chips,
			D.row({x: box.x + 10, y: box.y + 66, width: box.w - 20, cards: hand, zone: 'hand',
				seat: s, face: D.playingFace, name: D.playingName, marks: D.marked(scene, s)}),
			D.text(box.x + 10, box.y + 138, [
				pub.voids[s].length ? 'no ' + pub.voids[s].map(v => D.SUIT_NAMES[v]).join(', ') : '',
				given ? 'gave ' + given : '', got ? 'got ' + got : '',
			].filter(Boolean).join(' · '), 'caption', {'data-knows': s}));
	}

	function contract(scene, box) {
		const {pub} = scene.view;
		const declared = pub.declared;
		const level = pub.level > 6 ? ['pig', 'hog'][pub.level - 7] : pub.level;
		const x = box.x + box.w / 2;
		const isSuit = declared in D.SUIT_NAMES;

		return D.svg('g', {},
			D.text(x, box.y + 22, pub.bidder === null ? 'no bid yet'
				: `${D.clip(scene.name(pub.bidder), 110)} bids ${level}`, 'heading',
			{'text-anchor': 'middle'}),
			isSuit && D.suit(x, box.y + 54, declared, 40),
			D.text(x, box.y + (isSuit ? 92 : 62), isSuit ? D.SUIT_NAMES[declared] + ' are trumps'
				: declared === 'none' ? '' : declared + ' cards win', isSuit ? 'caption' : 'heading',
			{'text-anchor': 'middle'}));
	}

	function scores(scene, box) {
		const {pub} = scene.view;

		return Pigpen.teamScores(box, `round ${pub.round}`, {points: pub.score, games: pub.games_won});
	}

	Pigpen.games.pig_it_hog_it = {
		draw(scene) {
			const {pub} = scene.view;
			const order = pub.order.includes(null) ? null : pub.order;

			return Pigpen.trickTable(scene, {
				order, panel: 146, centre: 210, seat, corners: [scores, contract],
				trick: pub.trick, leader: pub.leader, winning: pub.winning,
			});
		},
		score: (view, seat) => view.pub.score[team(view.pub, seat)],
		verbs: {
			bid: 'Bid', pass: 'Pass', declare: 'Name the trumps', give: 'Give your partner a card',
			play: 'Play a card',
		},
		says: {
			draw: '{seat} turns {cards}',
			move: '{seat} sits at place {at}',
			round: 'game {game}, round {n}, seat {dealer} deals',
			deal: '{seat} is dealt {cards}',
			bid: event => event.k === 'pass' ? '{seat} passes'
				: '{seat} bids {k}' + (event.n ? ' {n}' : ''),
			declare: '{seat} declares {m}',
			give: '{seat} gives seat {to} {cards}',
			play: '{seat} plays {cards}',
			trick: '{seat} wins the trick',
			penalty: '{seat} has revoked',
			score: 'team {team}: {points} points, {total} in all',
			guard: 'the game is stopped after {rounds} rounds',
			game: event => event.winner < 0 ? 'game {n} is drawn' : 'team {winner} wins game {n}',
			match: event => event.winner < 0 ? 'the match is drawn' : 'team {winner} wins the match',
		},
	};
})();
