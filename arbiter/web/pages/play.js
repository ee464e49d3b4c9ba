/* Playing in the browser: the form to start a match, the table, the result. */
'use strict';

(() => {
	const {el} = Dom;
	const GATHER_MS = 30, NEWS_MAX = 5;
	const CLOCKS = [['', 'no hurry (an hour for a move)'], ['move=60s', 'a minute for a move'],
		['bank=10min,inc=5s,move=5min', '10 minutes, and 5 seconds more for each move'],
		['bank=3min,inc=2s,move=60s', '3 minutes, and 2 seconds more for each move']];

	async function post(path, document_) {
		const answer = await fetch('api/play/' + path, {method: 'POST', body: JSON.stringify(document_)});
		const told = await answer.json();

		if (!answer.ok)
			throw new Error(told.error);
		return told;
	}

	function field(label, control, help) {
		control.setAttribute('aria-label', label);
		return el('label', {class: 'play-field'}, el('span', {}, label), control,
			help && el('small', {class: 'quiet'}, help));
	}

	function choice(options, chosen) {
		return el('select', {}, ...options.map(([value, text]) =>
			el('option', {value, selected: String(value) === String(chosen)}, text)));
	}

	function optionField(option) {
		const numbers = option.max >= option.min;
		const control = numbers && !option.words.length
			? el('input', {type: 'number', min: option.min, max: option.max, value: option.standard})
			: choice([...option.words.map(word => [word, word.replace(/_/g, ' ')]),
				...(numbers ? Array.from({length: Math.min(100, option.max - option.min + 1)},
					(_, i) => [option.min + i, String(option.min + i)]) : [])], option.standard);

		control.name = option.name;
		control.dataset.default = option.standard;
		return field(option.name.replace(/_/g, ' '), control, option.help);
	}

	/* Bots by where they come from; random first, for the first match. */
	function botChoice(bots, number) {
		const from = new Map();
		const select = el('select', {'aria-label': `Seat ${number}`});

		bots.forEach(bot => from.set(bot.from, [...from.get(bot.from) || [], bot]));
		for (const [name, list] of from)
			select.append(el('optgroup', {label: name}, ...list.map(bot => el('option', {value: bot.id,
				selected: bot.id === 'sample/c/random'}, bot.version ? `${bot.name} (${bot.version})` : bot.name))));
		return select;
	}

	function setup(site, {games, bots}) {
		const title = el('select', {}, ...games.map(game => el('option', {value: game.id,
			selected: game.id === site.ladder.game}, game.title)));
		const about = el('p', {class: 'quiet'}), seats = el('div', {class: 'play-seats'});
		const options = el('div', {class: 'play-options'});
		const clock = choice(CLOCKS, '');
		const error = el('p', {class: 'bad', role: 'alert'});
		const start = el('button', {class: 'play-start'}, 'Take the seat');
		let game, count, mine = 0;

		function fillSeats() {
			const able = bots.filter(bot => bot.games.includes(game.id));
			const old = [...seats.querySelectorAll('.play-seat select')].map(select => select.value);

			seats.replaceChildren(...Array.from({length: count}, (_, i) => {
				const you = el('input', {type: 'radio', name: 'mine', value: i, checked: i === mine,
					'aria-label': `You sit in seat ${i}`, onchange: () => {
						mine = i;
						fillSeats();
						seats.querySelector('input:checked').focus();
					}});
				const bot = botChoice(able, i);

				if (able.some(({id}) => id === old[i]))
					bot.value = old[i];
				bot.hidden = i === mine;
				return el('div', {class: 'play-seat' + (i === mine ? ' play-mine' : '')}, el('span', {class: 'play-number'},
					`Seat ${i}`), el('label', {}, you, ' you'), bot);
			}));
		}

		function fill() {
			game = games.find(({id}) => id === title.value);
			count = game.seats_min;
			mine = 0;
			about.textContent = game.summary;
			const number = choice(Array.from({length: game.seats_max - game.seats_min + 1},
				(_, i) => [game.seats_min + i, String(game.seats_min + i)]), count);

			number.addEventListener('change', () => {
				count = Number(number.value);
				mine = Math.min(mine, count - 1);
				fillSeats();
			});
			sizes.replaceChildren(...(game.seats_max > game.seats_min ? [field('Seats', number)] : []),
				...(game.teams ? [el('p', {class: 'quiet'}, 'Seats 0 and 2 play together against 1 and 3.')] : []));
			options.replaceChildren(...game.options.map(optionField));
			fillSeats();
		}

		const sizes = el('div', {});
		const form = el('form', {class: 'box play-form', onsubmit: async event => {
			event.preventDefault();
			start.disabled = true;
			error.textContent = '';
			const changed = [...options.querySelectorAll('[name]')].filter(control =>
				control.value !== control.dataset.default).map(control => [control.name,
				control.type === 'number' ? Number(control.value) : control.value]);

			try {
				const {id} = await post('matches', {game: game.id, options: Object.fromEntries(changed),
					clock: clock.value, seats: [...seats.querySelectorAll('.play-seat select')].map((select, i) =>
						i === mine ? 'human' : select.value)});

				location.hash = id;
			} catch (problem) {
				error.textContent = problem.message;
				start.disabled = false;
			}
		}}, field('Game', title), about, sizes,
		el('fieldset', {}, el('legend', {}, 'Who sits where'), seats), field('Clock', clock),
		el('details', {}, el('summary', {}, 'Options of the game'), options), error, start);

		title.addEventListener('change', fill);
		fill();
		site.show(el('h1', {}, 'Play'), el('p', {class: 'quiet'}, 'Take a seat against the bots. You see exactly what '
			+ 'a bot in your seat is told.'), form);
	}

	function place(rank) {
		return ['', 'first', 'second', 'third'][rank] || `in place ${rank}`;
	}

	/* The ordinary viewer, with all cards. */
	async function showReplay(site, id) {
		const board = el('div', {class: 'box'});
		const answer = await fetch(`api/play/viewer/${id}`);

		if (!answer.ok)
			throw new Error('There is no such match, or it is not over yet.');
		const data = await answer.json();
		/* The server has the same rule. */
		const file = data.steps.every(step => !step.fault && !step.cut);

		site.show(el('h1', {}, 'Your match'), el('p', {}, file && el('a', {href: `api/play/replay/${id}`,
			download: 'match.replay'}, 'Replay file'), file && ' · ', el('a', {href: 'play.html'}, 'Play again')), board);
		window.replay = Pigpen.mount(board, data, {});
	}

	function endNodes(viewer, seat, id, {why, file}) {
		const end = viewer.match.result, ranks = end && end.result && end.result.ranks;
		const text = ranks ? `It is over. You came ${place(ranks[seat])} of ${ranks.length} seats, with `
			+ `${end.result.scores[seat]} points.` : 'The match was not played to its end.';

		return [el('h2', {}, text), why && el('p', {class: 'quiet'}, why), el('p', {class: 'play-links'},
			el('a', {class: 'button', href: `#replay=${id}`}, 'See it again with all cards'), ' ',
			file ? el('a', {class: 'button', href: `api/play/replay/${id}`, download: 'match.replay'}, 'Replay file') : null, ' ',
			el('a', {class: 'button', href: 'play.html'}, 'Play again'))];
	}

	/* The table. The stream tells everything from the beginning whenever it is opened. */
	function table(site, id) {
		const board = el('div', {class: 'play-table'}), over = el('div', {class: 'box play-over', role: 'status', hidden: true});
		const news = el('div', {class: 'play-news', hidden: true});
		const wait = el('p', {class: 'quiet', role: 'status'}, 'The bots are being started …');
		const leave = el('button', {type: 'button', onclick: async () => {
			if (leave.dataset.sure) {
				leave.disabled = true;
				await post('leave/' + id, {}).catch(() => {});
			}
			leave.dataset.sure = '1';
			leave.textContent = 'Really leave?';
		}}, 'Leave the table');
		const source = new EventSource(`api/play/streams/${id}`);
		let viewer, moves, seat, head, steps, question, refused, ended, fresh, present, timer = 0;
		let asked = {};

		function reset() {
			[head, steps, question, refused, ended, fresh, present] = [null, [], null, null, null, [], false];
		}

		/* When the time for this answer ends. */
		function untilWhen({bank_ms: bank, move_ms: move}) {
			return asked.since + (bank && move ? Math.min(bank, move) : bank || move);
		}

		/* A question that is asked again was put when it was asked first. */
		function ask(data) {
			question = data;
			if (data.turn !== asked.turn)
				asked = {turn: data.turn, since: Date.now()};
		}

		/* Until now everything was past, and only the server knows how long. */
		function arrive({asked_ms: age}) {
			present = true;
			if (age !== undefined)
				asked.since = Date.now() - age;
		}

		async function answer(what) {
			const asked = question;

			/* Somebody else may have answered a moment ago. */
			if (!asked)
				return;
			question = refused = null;
			fresh = [];
			moves.wait('The others are playing …');
			try {
				await post('actions/' + id, {turn: asked.turn, ...what});
			} catch (error) {
				/* What never reached the server is still asked. */
				if (error instanceof TypeError && !question) {
					question = {...asked, shown: false};
					draw();
				}
				moves.refuse('', error.message);
			}
		}

		function showNews() {
			const lines = fresh.filter(step => !step.refused).flatMap(step => viewer.sentences(step)).slice(-NEWS_MAX);

			news.hidden = !lines.length;
			news.replaceChildren(el('h3', {}, 'Since your last move'), el('ul', {}, ...lines.map(text => el('li', {}, text))));
		}

		function mount() {
			if (viewer)
				viewer.destroy();
			seat = head.for;
			viewer = window.replay = Pigpen.mount(board, {head, steps}, {follow: true,
				names: other => `seat ${other}${other === seat ? ' (you)' : ''}`,
				/* A bank of nothing is no clock. */
				clocks: /bank=[1-9]/.test(head.clock)});
			moves = window.PlayMoves(viewer, seat, answer);
			moves.node.prepend(news);
			viewer.below(moves.node);
			moves.wait('The others are playing …');
			wait.hidden = true;
		}

		/* What arrives together is drawn once; of what is past, only the
		 * outcome. */
		function draw() {
			timer = 0;
			if (!present)
				return;
			if (ended && !head && !viewer) {
				wait.replaceChildren('The match could not be played.', ended.why ? ` (${ended.why})` : '');
				leave.hidden = true;
				source.close();
				return;
			}
			if (head)
				mount();
			else if (viewer)
				steps.forEach(step => viewer.append(step));
			head = null;
			steps = [];
			if (!viewer)
				return;
			showNews();
			if (refused)
				moves.refuse(refused.clause, refused.why);
			if (ended) {
				source.close();
				moves.node.hidden = leave.hidden = true;
				over.hidden = false;
				over.replaceChildren(...endNodes(viewer, seat, id, ended).filter(Boolean));
				viewer.above(over);
			} else if (question && !question.shown) {
				question.shown = true;
				moves.ask(question.legal, untilWhen(question));
			} else if (!question) {
				moves.wait('The others are playing …');
			}
		}

		function on(name, take) {
			source.addEventListener(name, event => {
				take(JSON.parse(event.data));
				timer = timer || setTimeout(draw, GATHER_MS);
			});
		}

		reset();
		source.onopen = reset;
		on('head', data => { head = data; });
		on('step', data => {
			steps.push(data);
			fresh.push(data);
		});
		on('ask', ask);
		on('answer', () => { question = refused = null; fresh = []; });
		on('refuse', data => { refused = data; });
		on('over', data => { ended = data; });
		on('now', arrive);
		source.onerror = () => {
			if (source.readyState !== EventSource.CLOSED || ended)
				return;
			showReplay(site, id).catch(error => {
				wait.hidden = false;
				wait.textContent = error.message;
				leave.hidden = true;
			});
		};
		site.show(el('div', {class: 'play-head'}, el('h1', {}, 'Your table'), leave), wait, board);
	}

	Site.page(async site => {
		const open = async () => {
			const replay = location.hash.match(/^#replay=([0-9a-f]{32})$/), id = location.hash.match(/^#([0-9a-f]{32})$/);

			if (replay)
				await showReplay(site, replay[1]);
			else if (id)
				table(site, id[1]);
			else
				setup(site, await (await fetch('api/play/games.json')).json());
		};

		window.addEventListener('hashchange', () => location.reload());
		await open();
	});
})();
