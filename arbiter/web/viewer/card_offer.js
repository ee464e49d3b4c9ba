/*
 * Cards on the table that can be chosen, by pointer or keyboard. An offer is {seat, picked,
 * pick}: the open cards of that seat become buttons, those whose indices are in `picked`
 * are marked, and pick(i) is called when one is chosen.
 */
(function () {
	'use strict';

	const MARKS = ['tabindex', 'role', 'aria-pressed', 'aria-label'];

	window.Pigpen.CardOffer = class {
		constructor(board) {
			this.board = board;
			this.offer = null;
			board.addEventListener('click', event => this.choose(event));
			board.addEventListener('keydown', event => this.choose(event));
		}

		set(offer) {
			this.offer = offer;
		}

		/* The open cards of a seat, as elements. */
		cards(seat) {
			return [...this.board.querySelectorAll(`[data-seat="${seat}"] [data-card]`)];
		}

		/* Makes the cards that are offered buttons if it is `open`, and no others. */
		mark(open) {
			const offer = open ? this.offer : null;
			const drawing = this.board.querySelector('svg');

			if (drawing)
				drawing.setAttribute('role', offer ? 'group' : 'img');
			for (const card of this.board.querySelectorAll('.pp-offered')) {
				card.classList.remove('pp-offered', 'pp-picked');
				MARKS.forEach(name => card.removeAttribute(name));
			}
			if (offer)
				this.cards(offer.seat).forEach((card, i) => this.markOne(card, offer.picked.includes(i)));
		}

		markOne(card, picked) {
			const title = card.querySelector('title');

			card.classList.add('pp-offered');
			card.classList.toggle('pp-picked', picked);
			card.setAttribute('tabindex', '0');
			card.setAttribute('role', 'button');
			card.setAttribute('aria-pressed', String(picked));
			card.setAttribute('aria-label', title ? title.textContent : card.dataset.card);
		}

		choose(event) {
			const card = this.offer && event.target.closest('.pp-offered');

			if (!card || event.type === 'keydown' && !['Enter', ' '].includes(event.key))
				return;
			event.preventDefault();
			event.stopPropagation();
			const {seat, pick} = this.offer;
			const i = this.cards(seat).indexOf(card);

			pick(i);
			const again = this.cards(seat)[i];

			if (again && event.type === 'keydown')
				again.focus();
		}
	};
})();
