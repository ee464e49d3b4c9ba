/*
 * The data of a match (specs/viewer.md) as a list of positions.
 *
 * Position i is the table on which the i-th decision was taken; the last position is the
 * table after the last step, where nothing is decided (any more, or yet).
 */
(function () {
	'use strict';

	const Pigpen = window.Pigpen = window.Pigpen || {games: {}};

	function isPlain(value) {
		return value !== null && typeof value === 'object' && !Array.isArray(value);
	}

	function patchArray(old, change) {
		if (Array.isArray(change) || !isPlain(change))
			return change;
		const keep = old.length - (change['-'] || 0);
		const list = old.slice(0, keep).concat(change['+'] || []);

		for (const key of Object.keys(change))
			if (key !== '-' && key !== '+')
				list[key] = patch(list[key], change[key]);
		return list;
	}

	/* The value with the change made; the old one stays as it is. */
	function patch(old, change) {
		if (Array.isArray(old))
			return patchArray(old, change);
		if (!isPlain(old) || !isPlain(change))
			return change;
		const value = Object.assign({}, old);

		for (const key of Object.keys(change))
			value[key] = patch(old[key], change[key]);
		return value;
	}

	/* An event as a viewer was told of it: who may not see its cards gets their number. */
	function redact(event, viewer) {
		if (!event.see)
			return event;
		const copy = Object.assign({}, event);

		delete copy.see;
		if (viewer !== 'all' && !event.see.includes(viewer))
			for (const key of Object.keys(copy))
				if (Array.isArray(copy[key]))
					copy[key] = copy[key].length;
		return copy;
	}

	class Match {
		constructor(data) {
			this.head = data.head;
			this.steps = [];
			this.tables = [];    /* after each step */
			this.decisions = []; /* index into steps of each decision */
			this.result = null;
			for (const step of data.steps)
				this.append(step);
		}

		append(step) {
			const last = this.tables[this.tables.length - 1] || this.head.table;

			if (step.decision)
				this.decisions.push(this.steps.length);
			if ('result' in step)
				this.result = step;
			this.steps.push(step);
			this.tables.push(step.table ? patch(last, step.table) : last);
		}

		/* Everybody from whose place one can look: "all", "spectator", seats. */
		viewers() {
			if (this.head.for !== 'all')
				return [this.head.for];
			return ['all', ...Array(this.head.seats).keys(), 'spectator'];
		}

		get last() {
			return this.decisions.length;
		}

		/* The step that is decided in a position; none in the last. */
		decisionAt(position) {
			return this.steps[this.decisions[position]];
		}

		/* The first position at or after a decision of that number. */
		positionOf(number) {
			const found = this.decisions.findIndex(
				i => this.steps[i].decision >= number);

			return found < 0 ? this.last : found;
		}

		/* Index of the first step that has not happened yet. */
		stepsBefore(position) {
			return position < this.last ? this.decisions[position] : this.steps.length;
		}

		tableAt(position) {
			const before = this.stepsBefore(position);

			return before ? this.tables[before - 1] : this.head.table;
		}

		/* What a bot would get as `view`; for "all" also the truth under `all`. */
		view(position, viewer) {
			const table = this.tableAt(position);
			const own = table.own[viewer];
			const view = {
				seat: viewer, phase: table.phase, need: table.need, act: table.act,
				pub: table.pub, me: {},
			};

			if (viewer === 'all') {
				view.pub = Object.assign({}, table.pub, table.all.pub);
				view.all = Object.assign({}, table.all, {pending: table.pending});
				delete view.all.pub;
				for (const key of Object.keys(table.own[0].me))
					view.all[key] = table.own.map(part => part.me[key]);
			} else if (own) {
				view.pub = Object.assign({}, table.pub, own.pub);
				view.me = Object.assign(
					{pending: table.pending.includes(viewer)}, own.me);
			}
			return view;
		}

		/* Does the viewer know who decided this and how? */
		isOpen(step, viewer) {
			return step.seat !== undefined && (viewer === 'all' || viewer === step.seat);
		}

		/* The action of a decision as text. */
		action(step) {
			return step.action !== undefined ? step.action : step.legal[step.choice];
		}

		events(step, viewer) {
			return (step.events || []).map(event => redact(event, viewer));
		}

		/* {winner, cards by seat} of a trick that was the last thing to happen. */
		lastTrick(position, viewer) {
			const recent = [];

			for (let i = this.stepsBefore(position) - 1; i >= 0 && recent.length < 9; i--)
				recent.push(...this.events(this.steps[i], viewer).reverse());
			if (!recent.length || recent[0].e !== 'trick')
				return null;
			const cards = [];

			for (const event of recent.slice(1)) {
				if (event.e !== 'play' || cards[event.seat])
					break;
				cards[event.seat] = event.cards[0];
			}
			return {winner: recent[0].seat, cards};
		}

		/* Deals up to a position, which is the number of the round. */
		round(position) {
			const before = this.stepsBefore(position);
			let deals = 0;

			for (let i = 0; i < before; i++)
				deals += this.steps[i].chance === 'deal';
			return deals;
		}

		/* For each seat the last {ms, bank} that the viewer may know. */
		clocks(position, viewer) {
			const clocks = [];
			const before = this.stepsBefore(position);

			for (let i = 0; i < before; i++) {
				const step = this.steps[i];

				if (step.ms !== undefined && this.isOpen(step, viewer))
					clocks[step.seat] = step;
			}
			return clocks;
		}

		name(seat) {
			const player = this.head.players[seat];
			const name = player && player.name;

			return typeof name === 'string' && name ? name : 'seat ' + seat;
		}
	}

	/* Notes and names of bots: a string, or bytes as {bin: hex}. */
	Pigpen.plain = value => value && value.bin !== undefined ? 'bytes ' + value.bin : String(value);

	Pigpen.Match = Match;
	Pigpen.patch = patch;
})();
