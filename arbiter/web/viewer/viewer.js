/*
 * The viewer: a table, a scrubber, what was decided and what happened.
 *
 *     const viewer = Pigpen.mount(element, data, options)
 *
 * `data` is what specs/viewer.md describes, and so are the options and members that are
 * for pages. All others are the viewer's own.
 */
(function () {
	'use strict';

	const Pigpen = window.Pigpen;
	const D = Pigpen.draw, {plain} = Pigpen;
	const {el, svg} = window.Dom;
	const SPEEDS = [0.5, 1, 2, 5, 20];
	const KEYS = [
		['← →', 'one decision back or forward'], ['Home End', 'first decision, end'],
		['Page Up, Page Down', 'previous round, next round'], ['Space', 'play or pause'],
		['0 … 9', 'what this seat saw'], ['a', 'all cards'], ['s', 'what a spectator saw'],
		['f', 'next fault'], ['t', 'the slowest decision'], ['?', 'this help'],
	];

	/* The signs on the buttons, in a box of 16 by 16. */
	const SIGNS = {
		first: 'M3 3V13M13 3V13L5 8Z', back: 'M12 3V13L4 8Z', on: 'M4 3V13L12 8Z',
		end: 'M13 3V13M3 3V13L11 8Z', play: 'M4 2V14L14 8Z', pause: 'M5 3V13M11 3V13',
	};

	function sign(name) {
		return svg('svg', {class: 'pp-sign', width: 16, height: 16, 'aria-hidden': 'true'},
			svg('path', {d: SIGNS[name]}));
	}

	class Viewer {
		constructor(element, data, options) {
			this.options = options || {};
			this.match = new Pigpen.Match(data);
			this.game = Pigpen.games[this.match.head.game];
			this.viewer = this.firstViewer();
			this.position = this.options.follow ? this.match.last : 0;
			this.question = null;
			this.timer = null;
			this.root = el('div', {class: 'pigpen'});
			this.build();
			element.replaceChildren(this.root);
			this.onkey = event => this.key(event);
			this.onhash = () => {
				this.readFragment();
				this.log.fill();
				this.render();
			};
			document.addEventListener('keydown', this.onkey);
			if (this.options.fragment) {
				window.addEventListener('hashchange', this.onhash);
				this.readFragment();
			}
			this.log.fill();
			this.resized();
			this.watcher = new ResizeObserver(() => this.resized());
			this.watcher.observe(this.board);
		}

		firstViewer() {
			const viewers = this.match.viewers();

			return viewers.includes(this.options.viewer) ? this.options.viewer : viewers[0];
		}

		destroy() {
			this.pause();
			clearTimeout(this.writing);
			this.watcher.disconnect();
			document.removeEventListener('keydown', this.onkey);
			window.removeEventListener('hashchange', this.onhash);
			this.root.remove();
		}

		build() {
			this.board = el('section', {class: 'pp-board', 'aria-label': 'Table'});
			this.offer = new Pigpen.CardOffer(this.board);
			this.log = new Pigpen.EventLog(this);
			this.decision = el('section', {class: 'pp-box pp-decision', 'aria-live': 'polite',
				'aria-label': 'Decision'});
			this.legal = el('section', {class: 'pp-box pp-legal', 'aria-label': 'Legal moves'});
			this.main = el('div', {class: 'pp-main'}, this.board,
				el('div', {class: 'pp-side'}, this.decision, this.legal,
					el('section', {class: 'pp-box pp-log', 'aria-label': 'Events'},
						el('h2', {}, 'Events'), this.log.box)));
			this.root.append(this.buildHead(), this.buildSeats(), this.main,
				this.buildControls(), this.buildHelp());
		}

		buildHead() {
			const head = this.match.head;
			const date = new Date(head.start * 1000).toISOString().slice(0, 16).replace('T', ' ');
			const changed = Object.entries(head.options)
				.map(([key, value]) => `${key} ${value}`).join(', ');

			return el('header', {class: 'pp-head'}, el('h1', {}, head.title),
				el('p', {}, `match ${head.match}, ${date} UTC, clock ${head.clock}`),
				el('details', {}, el('summary', {}, 'options and players'),
					el('p', {}, changed),
					el('ul', {}, ...head.players.map((player, seat) => el('li', {},
						`seat ${seat}: ${this.name(seat)}`
						+ (player.version ? ` version ${plain(player.version)}` : '')
						+ (player.hash ? `, ${plain(player.hash).slice(0, 12)}` : ''))))));
		}

		buildSeats() {
			const group = el('div', {class: 'pp-seats', role: 'group',
				'aria-label': 'Whose view'});

			this.seatButtons = new Map();
			for (const viewer of this.match.viewers()) {
				const label = viewer === 'all' ? 'all cards' : viewer === 'spectator'
					? 'spectator' : `${viewer} ${this.name(viewer)}`;
				const button = el('button', {type: 'button',
					onclick: () => this.look(viewer)}, label);

				if (typeof viewer === 'number')
					button.classList.add('pp-seat-' + viewer);
				this.seatButtons.set(viewer, button);
				group.append(button);
			}
			return group;
		}

		button(label, sign, action) {
			return el('button', {type: 'button', 'aria-label': label, title: label,
				onclick: action}, sign);
		}

		buildControls() {
			this.playButton = this.button('play', sign('play'), () => this.toggle());
			this.slider = el('input', {type: 'range', min: 0, max: 1, step: 1,
				'aria-label': 'Decision', oninput: () => this.go(Number(this.slider.value))});
			this.marks = svg('svg', {class: 'pp-marks', preserveAspectRatio: 'none',
				'aria-hidden': 'true'});
			this.speed = el('select', {'aria-label': 'Speed', onchange: () => this.restart()},
				...SPEEDS.map(n => el('option', {value: n, selected: n === 2}, n + ' / s')));
			this.counter = el('output', {class: 'pp-counter'});
			return el('div', {class: 'pp-controls', role: 'group', 'aria-label': 'Playback'},
				el('div', {class: 'pp-track'}, this.marks, this.slider),
				el('div', {class: 'pp-buttons'},
					this.button('first decision', sign('first'), () => this.go(0)),
					this.button('one back', sign('back'), () => this.go(this.position - 1)),
					this.playButton,
					this.button('one forward', sign('on'), () => this.go(this.position + 1)),
					this.button('end', sign('end'), () => this.go(this.match.last)),
					this.speed, this.counter,
					this.button('help', '?', () => this.help.showModal())));
		}

		buildHelp() {
			this.help = el('dialog', {class: 'pp-help', 'aria-label': 'Keys'},
				el('h2', {}, 'Keys'),
				el('dl', {}, ...KEYS.flatMap(([key, what]) =>
					[el('dt', {}, key), el('dd', {}, what)])),
				el('form', {method: 'dialog'}, el('button', {}, 'close')));
			return this.help;
		}

		go(position) {
			this.position = Math.max(0, Math.min(this.match.last, position));
			if (this.position === this.match.last && this.timer && !this.options.follow)
				this.pause();
			this.render();
		}

		look(viewer) {
			if (!this.match.viewers().includes(viewer))
				return;
			this.viewer = viewer;
			this.log.fill();
			this.render();
		}

		append(step) {
			const atEnd = this.position === this.match.last;

			this.match.append(step);
			this.log.add(step, this.match.steps.length - 1);
			if (atEnd)
				this.position = this.match.last;
			this.render();
		}

		ask(legal, choose) {
			this.question = {legal, choose};
			this.position = this.match.last;
			this.render();
		}

		/* Places for what belongs to the page and not to the match. */
		above(node) {
			this.main.before(node);
		}

		below(node) {
			this.main.after(node);
		}

		name(seat) {
			return this.options.names ? this.options.names(seat) : this.match.name(seat);
		}

		/* What the viewer learns from a step. */
		sentences(step) {
			return this.log.tell(step).map(([text]) => text);
		}

		cards(seat) {
			return this.offer.cards(seat);
		}

		offerCards(offer) {
			this.offer.set(offer);
			this.offer.mark(this.position === this.match.last);
		}

		toggle() {
			if (this.timer)
				return this.pause();
			if (this.position === this.match.last)
				this.position = 0;
			this.restart(true);
		}

		restart(start) {
			if (!this.timer && start !== true)
				return;
			clearInterval(this.timer);
			this.timer = setInterval(() => this.go(this.position + 1),
				1000 / Number(this.speed.value));
			this.renderControls();
		}

		pause() {
			clearInterval(this.timer);
			this.timer = null;
			this.renderControls();
		}

		key(event) {
			const tag = event.target.tagName;

			if (event.ctrlKey || event.altKey || event.metaKey || this.help.open
				|| ['INPUT', 'SELECT', 'TEXTAREA'].includes(tag) && event.target !== this.slider)
				return;
			const act = this.keyAction(event.key, tag);

			if (act) {
				event.preventDefault();
				act();
			}
		}

		keyAction(key, tag) {
			const moves = {
				ArrowLeft: () => this.go(this.position - 1),
				ArrowRight: () => this.go(this.position + 1),
				Home: () => this.go(0),
				End: () => this.go(this.match.last),
				PageUp: () => this.go(this.roundStart(-1)),
				PageDown: () => this.go(this.roundStart(1)),
				a: () => this.look('all'),
				s: () => this.look('spectator'),
				f: () => this.go(this.nextFault()),
				t: () => this.go(this.slowest()),
				'?': () => this.help.showModal(),
			};

			if (key === ' ')
				return tag === 'BUTTON' || tag === 'SUMMARY' ? null : () => this.toggle();
			if (/^[0-9]$/.test(key))
				return () => this.look(Number(key));
			return moves[key];
		}

		/* The first position of the round after, or before, this one. */
		roundStart(direction) {
			const round = this.match.round(this.position);
			let position = this.position;

			if (direction > 0) {
				while (position < this.match.last && this.match.round(position) === round)
					position++;
				return position;
			}
			const target = position && this.match.round(position - 1) === round
				? round : round - 1;

			while (position && this.match.round(position - 1) >= target)
				position--;
			return position;
		}

		/* [position, step] of all faults that the viewer may know. */
		faults() {
			const found = [];
			let position = 0;

			for (const step of this.match.steps) {
				if (step.decision)
					position++;
				if (step.fault && this.knows(step))
					found.push([position, step]);
			}
			return found;
		}

		nextFault() {
			const faults = this.faults();
			const next = faults.find(([position]) => position > this.position) || faults[0];

			return next ? next[0] : this.position;
		}

		slowest() {
			let best = this.position, most = -1;

			this.match.decisions.forEach((index, position) => {
				const step = this.match.steps[index];

				if (this.match.isOpen(step, this.viewer) && step.ms > most) {
					most = step.ms;
					best = position;
				}
			});
			return best;
		}

		/* Faults, refusals and lost connections are known to `all` and to their
		 * seat. */
		knows(step) {
			const inner = step.fault || step.refused || step.link;

			return this.viewer === 'all' || this.viewer === inner.seat;
		}

		/* Takes position and viewer from the address, if it names them. */
		readFragment() {
			this.fragment = location.hash;
			const fragment = new URLSearchParams(this.fragment.slice(1).replace(/^d(\d+)/, 'd=$1'));
			const seat = fragment.get('seat');

			if (seat !== null)
				this.viewer = /^\d+$/.test(seat) ? Number(seat) : seat;
			if (!this.match.viewers().includes(this.viewer))
				this.viewer = this.firstViewer();
			if (fragment.has('d'))
				this.position = this.match.positionOf(Number(fragment.get('d')));
			else if (fragment.has('end'))
				this.position = this.match.last;
		}

		/* Browsers stop pages that write their address too often. If somebody else has
		 * changed the address, it is left alone: its event is on the way. */
		writeFragment() {
			clearTimeout(this.writing);
			this.writing = setTimeout(() => {
				const step = this.match.decisionAt(this.position);
				const place = step ? 'd' + step.decision : 'end';

				if (location.hash !== this.fragment)
					return;
				history.replaceState(null, '', `#${place}&seat=${this.viewer}`);
				this.fragment = location.hash;
			}, 200);
		}

		resized() {
			const width = Math.max(300, this.board.clientWidth);

			if (width === this.drawnWidth)
				return;
			this.drawnWidth = width;
			this.render();
		}

		render() {
			const match = this.match;

			this.view = match.view(this.position, this.viewer);
			this.renderBoard();
			this.renderDecision();
			this.renderLegal();
			this.log.render();
			this.renderControls();
			this.renderMarks();
			for (const [viewer, button] of this.seatButtons)
				button.setAttribute('aria-pressed', String(viewer === this.viewer));
			if (this.options.fragment)
				this.writeFragment();
		}

		/* What a drawing gets: the view, and names, clocks and the choice if known. */
		scene() {
			const step = this.match.decisionAt(this.position);
			const open = step && this.match.isOpen(step, this.viewer);

			return {
				view: this.view, viewer: this.viewer, seats: this.match.head.seats,
				width: this.drawnWidth - 4, clocks: this.options.clocks === false ? []
					: this.match.clocks(this.position, this.viewer),
				name: seat => this.name(seat),
				lastTrick: this.match.lastTrick(this.position, this.viewer),
				move: open ? {seat: step.seat, text: this.match.action(step)} : null,
			};
		}

		renderBoard() {
			if (!this.game) {
				this.board.replaceChildren(el('pre', {}, JSON.stringify(this.view, null, 1)));
				return;
			}
			const {height, nodes} = this.game.draw(this.scene());

			this.board.replaceChildren(svg('svg', {
				width: this.drawnWidth, height: height + 4,
				viewBox: `-2 -2 ${this.drawnWidth} ${height + 4}`,
				role: 'img', 'aria-label': this.describe(),
			}, ...nodes));
			this.offer.mark(this.position === this.match.last);
		}

		describe() {
			const {act, phase} = this.view;
			const scores = [...Array(this.match.head.seats).keys()]
				.map(seat => `seat ${seat}: ${this.game.score(this.view, seat)}`).join(', ');

			return `${this.match.head.title}, phase ${phase}, `
				+ (act.length ? `seat ${act.join(', ')} to act; ` : '') + `scores: ${scores}`;
		}

		renderDecision() {
			const step = this.match.decisionAt(this.position);

			this.decision.replaceChildren(el('h2', {}, step ? 'Decision ' + step.decision
				: this.match.result ? 'Result' : 'Now'),
			...(step ? this.decisionNodes(step) : this.endNodes()));
		}

		decisionNodes(step) {
			if (!this.match.isOpen(step, this.viewer))
				return [el('p', {class: 'pp-quiet'}, this.waiting())];
			const by = {forced: 'forced: the only move', fallback: 'the neutral move stands in'};
			const facts = [];

			if (step.ms !== undefined)
				facts.push(`thought ${D.time(step.ms)}`, `CPU ${D.time(step.cpu)}`,
					`bank ${D.time(step.bank)}`);
			if (step.lag)
				facts.push(`arbiter’s lag ${D.time(step.lag)}`);
			return [
				el('p', {class: 'pp-choice'}, el('span', {class: 'pp-dot pp-seat-' + step.seat},
					String(step.seat)), ` ${this.name(step.seat)} `,
				el('strong', {}, this.match.action(step))),
				step.by && el('p', {class: 'pp-quiet'}, by[step.by] || step.by),
				step.offence && el('p', {class: 'pp-fault'}, 'an offence against ' + step.offence),
				facts.length && el('p', {class: 'pp-quiet'}, facts.join(' · ')),
				step.note !== undefined && el('blockquote', {class: 'pp-note'}, plain(step.note)),
			].filter(Boolean);
		}

		waiting() {
			const {act, need} = this.view;

			if (need !== 'answers' || !act.length)
				return 'nobody is to act';
			return (act.length > 1 ? 'seats ' : 'seat ') + act.join(', ')
				+ (act.length > 1 ? ' are' : ' is') + ' to act';
		}

		endNodes() {
			const end = this.match.result;
			const cut = this.match.steps.find(step => step.cut);

			if (!end)
				return [el('p', {class: 'pp-quiet'}, cut ? 'the replay ends here: ' + cut.cut
					: this.waiting())];
			if (!end.result)
				return [el('p', {class: 'pp-fault'}, 'void: ' + plain(end.void))];
			return [this.resultTable(end.result),
				el('p', {class: 'pp-quiet'}, 'ended by ' + plain(end.result.reason))];
		}

		resultTable(result) {
			const seats = [...result.ranks.keys()].sort((a, b) => result.ranks[a] - result.ranks[b]);
			const rows = seats.map(seat => el('tr', {}, el('td', {}, String(result.ranks[seat])),
				el('td', {}, el('span', {class: 'pp-dot pp-seat-' + seat}, String(seat)),
					' ' + this.name(seat)),
				el('td', {}, String(result.scores[seat]))));

			return el('table', {class: 'pp-result'},
				el('thead', {}, el('tr', {}, ...['rank', 'seat', 'score'].map(
					word => el('th', {scope: 'col'}, word)))),
				el('tbody', {}, ...rows));
		}

		renderLegal() {
			const step = this.match.decisionAt(this.position);
			const open = step && this.match.isOpen(step, this.viewer);

			this.legal.hidden = true;
			if (this.question && !step)
				this.showQuestion();
			else if (open && step.legal)
				this.showLegal(step);
		}

		showLegal(step) {
			const items = step.legal.map((action, i) => el('li', i === step.choice
				? {class: 'pp-chosen', 'aria-current': 'true'} : {}, action));
			const list = el('ol', {start: 0, class: 'pp-moves'}, ...items);

			this.legal.hidden = false;
			this.legal.replaceChildren(el('h2', {}, `Legal moves (${items.length})`),
				el('div', {class: 'pp-scroll', tabindex: '0', role: 'region',
					'aria-label': 'List of legal moves'}, list));
			const chosen = items[step.choice];

			if (chosen)
				list.parentNode.scrollTop = Math.max(0, chosen.offsetTop - list.offsetTop - 40);
		}

		showQuestion() {
			const {legal, choose} = this.question;
			const buttons = legal.map((action, i) => el('li', {}, el('button', {
				type: 'button', class: 'pp-move', onclick: () => {
					this.question = null;
					this.renderLegal();
					choose(i);
				}}, action)));

			this.legal.hidden = false;
			this.legal.replaceChildren(el('h2', {}, 'Your move'),
				el('ol', {start: 0, class: 'pp-moves pp-asked'}, ...buttons));
		}

		renderControls() {
			const step = this.match.decisionAt(this.position);
			const round = this.match.round(this.position);

			this.slider.max = this.match.last;
			this.slider.value = this.position;
			this.slider.setAttribute('aria-valuetext', step ? 'decision ' + step.decision : 'end');
			this.playButton.replaceChildren(sign(this.timer ? 'pause' : 'play'));
			this.playButton.setAttribute('aria-label', this.timer ? 'pause' : 'play');
			this.counter.textContent = (step ? `${step.decision} of ${this.lastNumber()}` : 'end')
				+ (round ? `, round ${round}` : '');
		}

		lastNumber() {
			const last = this.match.decisionAt(this.match.last - 1);

			return last ? last.decision : 0;
		}

		/* Above the scrubber: thinking times as bars, rounds as lines, faults in red. */
		renderMarks() {
			const match = this.match, n = Math.max(1, match.last);
			const key = `${match.steps.length} ${this.viewer}`;

			if (this.marked === key)
				return;
			this.marked = key;
			const bars = [], rounds = [];
			/* A scale near that of the screen, as browsers draw others badly. */
			const x = (at = position) => (1000 * at / n).toFixed(1);
			let position = 0;

			for (const step of match.steps) {
				if (step.chance === 'deal' && position)
					rounds.push(`M${x()} 0V24`);
				if (step.ms !== undefined && match.isOpen(step, this.viewer))
					bars.push(`M${x()} 24v-${Math.min(22, 2 + 5 * Math.log10(1 + step.ms * 10)).toFixed(1)}`);
				if (step.decision)
					position++;
			}
			this.marks.setAttribute('viewBox', '0 0 1000 24');
			this.marks.replaceChildren(
				svg('path', {class: 'mark-round', d: rounds.join('')}),
				svg('path', {class: 'mark-time', d: bars.join('')}),
				...this.faults().map(([at]) => svg('path', {class: 'mark-fault', d: `M${x(at)} 0V24`})));
		}
	}

	Pigpen.mount = (element, data, options) => new Viewer(element, data, options);
})();
