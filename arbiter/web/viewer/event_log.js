/*
 * The list of events beside the table: a line for each thing that the viewer has learnt
 * up to the current position. A click on a line leads there.
 */
(function () {
	'use strict';

	const Pigpen = window.Pigpen, {plain} = Pigpen;
	const {el} = window.Dom;

	function listed(value) {
		if (Array.isArray(value))
			return value.join(' ');
		return value === 1 ? '1 card' : value + ' cards';
	}

	function sayValue(event, key) {
		if (key === 'seat')
			return event.seat === null ? 'nobody' : 'seat ' + event.seat;
		if (key === 'cards' || Array.isArray(event[key]))
			return listed(event[key]);
		return String(event[key]);
	}

	/* An event as a sentence, by the game's own words if it has some for it. */
	function say(game, event) {
		const words = game && game.says[event.e];
		const pattern = typeof words === 'function' ? words(event) : words;

		if (pattern)
			return pattern.replace(/\{(\w+)\}/g, (_, key) => sayValue(event, key));
		return event.e + Object.keys(event).filter(key => key !== 'e')
			.map(key => ` ${key}=${sayValue(event, key)}`).join('');
	}

	Pigpen.EventLog = class {
		constructor(viewer) {
			this.viewer = viewer;
			this.lines = []; /* {node, index of the step} */
			this.shown = [0, 0]; /* steps: the recent ones, and those that have happened */
			this.list = el('ol', {class: 'pp-lines'});
			this.box = el('div', {class: 'pp-scroll', tabindex: '0', role: 'region',
				'aria-label': 'What happened so far'}, this.list);
		}

		/* Another viewer learns other things. */
		fill() {
			this.lines = [];
			this.list.replaceChildren();
			this.shown = [0, 0];
			this.viewer.match.steps.forEach((step, index) => this.add(step, index));
		}

		add(step, index) {
			const {viewer} = this;

			for (const [content, className, seat] of this.tell(step)) {
				const node = el('li', {class: className, onclick: () =>
					viewer.go(viewer.match.decisions.filter(i => i <= index).length)},
				seat !== undefined && seat !== null
					? el('span', {class: 'pp-mini pp-seat-' + seat}) : null, content);

				node.hidden = true;
				this.lines.push({node, index});
				this.list.append(node);
			}
		}

		/* [text, class, seat] for all that the viewer learns from a step. */
		tell(step) {
			const {viewer} = this;

			if (step.fault || step.refused || step.link)
				return viewer.knows(step) ? [this.tellTrouble(step)] : [];
			return viewer.match.events(step, viewer.viewer).map(event =>
				[say(viewer.game, event), 'pp-event pp-event-' + event.e, event.seat]);
		}

		tellTrouble({fault, refused, link}) {
			if (fault)
				return [`fault: ${plain(fault.class)}, ${plain(fault.why || fault.phase || '')} `
					+ `(${plain(fault.verdict || '')})`, 'pp-fault', fault.seat];
			if (refused)
				return [`refused by ${plain(refused.clause)}: ${plain(refused.why)}`,
					'pp-fault', refused.seat];
			return [`connection ${link.back ? 'back' : 'lost'}`, 'pp-fault', link.seat];
		}

		/* Shows what has happened up to the position; only what changes is touched. */
		render() {
			const {match, position} = this.viewer;
			const before = match.stepsBefore(position);
			const recent = position ? match.stepsBefore(position - 1) : 0;
			const from = Math.min(this.shown[0], recent), to = Math.max(this.shown[1], before);

			for (let i = this.lineOf(from); i < this.lineOf(to); i++) {
				const {node, index} = this.lines[i];

				node.hidden = index >= before;
				node.classList.toggle('pp-recent', index >= recent && index < before);
			}
			this.shown = [recent, before];
			cancelAnimationFrame(this.scrolling);
			this.scrolling = requestAnimationFrame(
				() => { this.box.scrollTop = this.box.scrollHeight; });
		}

		/* The first line that belongs to this step or a later one. */
		lineOf(index) {
			let low = 0, high = this.lines.length;

			while (low < high) {
				const middle = low + high >> 1;

				if (this.lines[middle].index < index)
					low = middle + 1;
				else
					high = middle;
			}
			return low;
		}
	};
})();
