/* Tennessee Pig: four at a table; trumps, bid and points in the corners. */
(function () {
	'use strict';

	const Pigpen = window.Pigpen;
	const D = Pigpen.draw;
	const SAME_COLOUR = {S: 'C', C: 'S', H: 'D', D: 'H'};

	function isTrump(token, trump) {
		return token === 'JK' || token[1] === trump
			|| (token[1] === SAME_COLOUR[trump] && 'J5'.includes(token[0]));
	}

	function points(token, pub) {
		if (!isTrump(token, pub.trump))
			return 0;
		if (token[0] === '5')
			return 5;
		return token === pub.point || token === 'JK' || 'JT'.includes(token[0])
			|| token === 'A' + pub.trump ? 1 : 0;
	}

	function name(pub) {
		return token => {
			const worth = points(token, pub);

			return D.playingName(token) + (worth ? `, ${worth} point${worth > 1 ? 's' : ''}` : '');
		};
	}

	function notes(view, s) {
		const {pub} = view;
		const own = view.all ? field => view.all[field][s]
			: view.seat === s ? field => view.me[field] : () => [];
		const list = (label, cards) => cards.length ? `${label} ${cards.join(' ')}` : '';

		return [
			list('folded', pub.folded[s]), list('burned', pub.burned[s]),
			pub.burned_trash[s] ? `${pub.burned_trash[s]} trash burned` : '',
			list('threw', own('discards'))
				|| (pub.thrown[s] ? `threw ${pub.thrown[s]} cards` : ''), list('lays aside', own('burning')),
		].filter(Boolean).join(' · ');
	}

	function seat(scene, s, box) {
		const {view} = scene;
		const {pub} = view;
		const hand = D.cardsOf(view, 'hand', s, pub.hand_count[s]);
		const bid = pub.bids[s] ? `bid ${pub.bids[s]}` : pub.passed.includes(s) ? 'pass' : '';
		const chips = [];
		let x = box.x + 10;

		function add(content, className) {
			if (!content)
				return;
			chips.push(D.chip(x, box.y + 34, content, className));
			x += D.chipWidth(content) + 5;
		}

		add('team ' + s % 2, 'team-' + s % 2);
		add(pub.dealer === s && 'dealer');
		add(bid, pub.bidder === s ? 'chip-good' : '');
		add(pub.trump !== 'none' && !pub.live.includes(s) && 'folded');
		return D.svg('g', {}, D.panel(scene, s, box), ...chips,
			D.row({x: box.x + 10, y: box.y + 66, width: box.w - 20, cards: hand, zone: 'hand',
				seat: s, face: D.playingFace, name: name(pub), marks: D.marked(scene, s),
				dim: token => pub.trump !== 'none' && !isTrump(token, pub.trump)}),
			D.text(box.x + 10, box.y + 140, D.clip(notes(view, s), box.w - 20, 11), 'caption',
				{'data-knows': s}));
	}

	function contract(scene, box) {
		const {pub} = scene.view;
		const x = box.x + box.w / 2;
		const trump = pub.trump !== 'none';

		return D.svg('g', {},
			D.text(x, box.y + 22, pub.bidder === null ? 'no bid yet'
				: `${D.clip(scene.name(pub.bidder), 100)} bids ${pub.bid}`, 'heading',
			{'text-anchor': 'middle'}),
			trump && D.suit(x, box.y + 54, pub.trump, 40),
			trump && D.text(x, box.y + 92, D.SUIT_NAMES[pub.trump] + ' are trumps', 'caption',
				{'text-anchor': 'middle'}),
			pub.point && D.text(x + 62, box.y + 58, 'point ' + pub.point, 'caption',
				{'text-anchor': 'middle'}));
	}

	function scores(scene, box) {
		const {pub} = scene.view;

		return Pigpen.teamScores(box, `hand ${pub.hands}`, {score: pub.score, caught: pub.caught},
			D.text(0, 100, `${pub.tricks} of 6 tricks, ${pub.stock_count} in stock`, 'caption'));
	}

	/* The finished tricks, as far as the viewer may still look at them. */
	function past(scene, box) {
		const {pub} = scene.view;
		const lines = pub.past.slice(0, pub.tricks).map((cards, i) => {
			const caught = pub.catcher[i] === null ? 'nobody' : 'seat ' + pub.catcher[i];
			const shown = cards ? cards.map(token => token || '–').join(' ') : 'face down';

			return D.text(box.x + 10, box.y + 40 + i * 19, `${i + 1}.  ${shown}  to ${caught}`,
				'caption', {'data-past': i});
		});

		return D.svg('g', {},
			lines.length > 0 && D.text(box.x + 10, box.y + 20, 'tricks of this hand, by seat', 'caption'),
			...lines);
	}

	Pigpen.games.tennessee_pig = {
		draw(scene) {
			const {pub} = scene.view;

			return Pigpen.trickTable(scene, {
				panel: 148, centre: 210, seat, corners: [scores, contract, past],
				trick: pub.trick, leader: pub.leader,
			});
		},
		score: (view, seat) => view.pub.score[seat % 2],
		verbs: {
			cut: 'Cut the deck', bid: 'Bid', pass: 'Pass', trump: 'Name the trumps',
			burn: 'Burn a card, face up', play: 'Play a card', fold: 'Fold your hand',
		},
		says: {
			draw: '{seat} draws {cards}',
			deal: '{seat} is dealt {cards}',
			cut: '{seat} cuts {n}',
			bid: event => event.n ? '{seat} bids {n}' : '{seat} passes',
			skip: '{seat} is not asked',
			trump: '{seat} names {suit} trumps',
			lose: '{seat} throws {cards}',
			shuffle: '{n} thrown cards are shuffled',
			take: '{seat} takes {cards}',
			declare: '{seat} has a slam: {cards}',
			burn: '{seat} burns {cards} and {trash} other cards',
			play: '{seat} plays {cards}',
			fold: '{seat} folds {cards}',
			trick: event => event.seat === null ? 'nobody catches the trick'
				: event.n === 1 ? '{seat} catches 1 point' : '{seat} catches {n} points',
			penalty: '{seat} is punished: the others get {n}',
			score: 'team {team}: {n} points, {total} in all',
			round: 'hand {n} is over',
			guard: 'the game is stopped after {n} hands',
			game: event => event.team < 0 ? 'game {n} is drawn' : 'team {team} wins game {n}',
			match: event => event.team < 0 ? 'the match is drawn' : 'team {team} wins the match',
		},
	};
})();
