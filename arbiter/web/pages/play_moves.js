/*
 * The legal moves, to choose from.
 *
 *     const moves = PlayMoves(viewer, seat, answer);
 *     moves.ask(legal, end); moves.refuse(clause, why); moves.wait(text);
 *
 * answer({choice}) or answer({text}) is called once after each ask(). Moves are buttons,
 * grouped by what is done; many of a kind are chosen word by word. Cards of the own seat
 * can be clicked on the table: only moves with these cards are left, and cards that make
 * no legal move can be tried all the same, to learn which rule forbids it. `end` is when
 * the time for the answer ends (as of Date.now()); it is shown if it is not far away.
 */
'use strict';

window.PlayMoves = (() => {
	const {el} = Dom;
	const MANY = 24, HURRY_MS = 20 * 60e3, TICK_MS = 250;
	const SUITS = {S: '♠', H: '♥', D: '♦', C: '♣'};
	const SUIT_NAMES = {S: 'spades', H: 'hearts', D: 'diamonds', C: 'clubs'};

	function wordText(word, verb) {
		const card = word.match(/^([2-9TJQKA])([SHDC])$/);
		const pair = word.match(/^(\w+)=(.*)$/);

		if (card)
			return (card[1] === 'T' ? '10' : card[1]) + SUITS[card[2]];
		if (SUITS[word] && ['trump', 'declare', 'bid'].includes(verb))
			return `${SUITS[word]} ${SUIT_NAMES[word]}`;
		if (!pair)
			return word === 'JK' ? 'joker' : word;
		return {n: pair[2], pig: `on pig ${pair[2]}`, to: `of seat ${pair[2]}`, i: `number ${pair[2]}`,
			at: `space ${pair[2]}`}[pair[1]] || `${pair[1]} ${pair[2]}`;
	}

	function moveText(words) {
		const rest = words.slice(1);
		/* "mud on pig 2 of seat 1" reads better than the order of the protocol. */
		const order = rest.filter(word => !/^to=/.test(word)).concat(rest.filter(word => /^to=/.test(word)));

		return order.map(word => wordText(word, words[0])).join(' ') || words[0];
	}

	/* Has `words` all of `cards`, as often as they are there? */
	function holds(words, cards) {
		const left = words.slice(1);

		return cards.every(card => {
			const i = left.indexOf(card);

			if (i >= 0)
				left.splice(i, 1);
			return i >= 0;
		});
	}

	return (viewer, seat, answer) => {
		const verbs = viewer.game && viewer.game.verbs || {};
		const status = el('p', {class: 'play-status', role: 'status', tabindex: '-1'});
		const clock = el('span', {class: 'play-clock', 'aria-hidden': 'true', hidden: true});
		const refusal = el('p', {class: 'play-refusal', role: 'alert', hidden: true});
		const choices = el('div', {class: 'play-choices'});
		const typed = el('input', {type: 'text', 'aria-label': 'A move in words', autocomplete: 'off',
			spellcheck: 'false', maxlength: '200'});
		const form = el('form', {class: 'play-typed', onsubmit: event => {
			event.preventDefault();
			if (typed.value.trim())
				send({text: typed.value.trim()});
		}}, typed, el('button', {}, 'Try it'));
		const words = el('details', {class: 'play-words'}, el('summary', {}, 'type a move'), form);
		const node = el('section', {class: 'play-panel', 'aria-label': 'Your move'},
			el('div', {class: 'play-line'}, status, clock), refusal, choices, words);
		let moves = null, picked = [], prefix = null, end = 0;

		function send(what) {
			moves = null;
			picked = [];
			typed.value = '';
			refusal.hidden = true;
			show();
			answer(what);
		}

		function tick() {
			const left = Math.max(0, end - Date.now()), seconds = Math.ceil(left / 1000);

			clock.hidden = !moves || left > HURRY_MS;
			clock.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
			clock.classList.toggle('bad', left < 10e3);
		}

		function button(text, action, attributes) {
			return el('button', {type: 'button', class: 'play-move', ...attributes, onclick: action}, text);
		}

		function moveButton(move) {
			return el('li', {}, button(moveText(move.words), () => send({choice: move.index}),
				{title: move.words.join(' '), 'data-move': move.words.join(' ')}));
		}

		/* The next words that go on from what was chosen so far. */
		function stepwise(list) {
			const depth = prefix ? prefix.length : 1;
			const next = [...new Set(list.map(move => move.words[depth]))];

			return next.map(word => {
				const rest = list.filter(move => move.words[depth] === word);

				return rest.length === 1 ? moveButton(rest[0]) : el('li', {}, button(`${wordText(word, rest[0].words[0])} …`,
					() => {
						prefix = rest[0].words.slice(0, depth + 1);
						show();
					}, {'data-step': word}));
			});
		}

		function group(verb, list) {
			const id = 'verb-' + verb;
			const many = list.length > MANY || prefix && prefix[0] === verb;
			const so = many && prefix ? `: ${prefix.slice(1).map(word => wordText(word, verb)).join(' ')} …` : '';

			return el('div', {class: 'play-group', role: 'group', 'aria-labelledby': id},
				el('h3', {id}, (verbs[verb] || verb) + so,
					many && prefix && button('back', () => {
						prefix = null;
						show();
					}, {class: 'play-back'})),
				el('ul', {}, ...(many ? stepwise(list) : list.map(moveButton))));
		}

		function tries(shown) {
			const list = [...new Set((shown.length ? shown : moves).map(move => move.words[0]))]
				.filter(verb => moves.some(move => move.words[0] === verb && move.words.length > 1
					&& !/=/.test(move.words[1])));
			const cards = pickedCards();

			return el('div', {class: 'play-group'}, el('h3', {}, 'The rules do not allow these cards'),
				el('ul', {}, ...list.map(verb => el('li', {}, button(
					`try: ${verb} ${cards.map(card => wordText(card, verb)).join(' ')}`,
					() => send({text: [verb, ...cards].join(' ')}), {'data-try': verb})))));
		}

		function pickedCards() {
			const cards = viewer.cards(seat);

			return picked.map(i => cards[i]).filter(Boolean).map(card => card.dataset.card);
		}

		function show() {
			const focus = node.contains(document.activeElement);

			node.classList.toggle('play-asked', Boolean(moves));
			words.hidden = !moves;
			choices.replaceChildren();
			if (moves) {
				const cards = pickedCards();
				const shown = moves.filter(move => holds(move.words, cards)
					&& (!prefix || prefix.every((word, i) => move.words[i] === word)));
				const groups = new Map();

				shown.forEach(move => groups.set(move.words[0], [...groups.get(move.words[0]) || [], move]));
				if (cards.length)
					choices.append(el('p', {class: 'play-picked'}, 'With ',
						el('b', {}, cards.map(card => wordText(card, '')).join(' ')), ': ',
						button('all cards again', () => {
							picked = [];
							show();
						}, {class: 'play-back'})));
				choices.append(...[...groups].map(([verb, list]) => group(verb, list)));
				if (cards.length && !shown.some(move => move.words.length === cards.length + 1))
					choices.append(tries(shown));
			}
			viewer.offerCards(moves && {seat, picked, pick});
			/* The element that had the focus is gone; the next Tab leads to the first
			 * move. */
			if (focus && !node.contains(document.activeElement))
				status.focus();
		}

		/* On a small screen, scrolls the hand above the panel. */
		function uncover() {
			const cards = viewer.cards(seat);
			const low = cards.length ? Math.max(...cards.map(card => card.getBoundingClientRect().bottom)) : 0;
			const hidden = low + 8 - node.getBoundingClientRect().top;

			if (hidden > 0)
				window.scrollBy(0, hidden);
		}

		function pick(i) {
			picked = picked.includes(i) ? picked.filter(other => other !== i) : [...picked, i];
			prefix = null;
			show();
		}

		setInterval(tick, TICK_MS);
		return {
			node,
			ask(legal, until) {
				end = until;
				moves = legal.map((text, index) => ({index, words: text.split(' ')}));
				picked = [];
				prefix = null;
				status.textContent = 'Your move';
				show();
				tick();
				uncover();
			},
			refuse(clause, why) {
				refusal.hidden = false;
				refusal.replaceChildren(el('b', {}, clause ? `Rule ${clause}: ` : 'No move: '), why);
			},
			wait(text) {
				moves = null;
				status.textContent = text;
				show();
			},
		};
	};
})();
