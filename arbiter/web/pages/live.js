/* Matches under way, and one of them as it is played. */
'use strict';

(() => {
	const {el} = Dom;
	const {query} = Site;
	const REFRESH_MS = 2000, GATHER_MS = 50;

	function link(site, match) {
		return el('li', {}, el('a', {href: site.to('live', {set: match.set, rotation: match.rotation})},
			`${match.set}-${match.rotation}`), ' ', match.entrants.map(id => site.name(id)).join(' · '));
	}

	async function list(site) {
		const box = el('div', {class: 'box', 'aria-live': 'polite'});

		async function refresh() {
			const {matches} = await site.load('live.json');

			matches.sort((a, b) => a.set - b.set || a.rotation - b.rotation);
			if (!box.contains(document.activeElement))
				box.replaceChildren(matches.length ? el('ul', {}, ...matches.map(match => link(site, match)))
					: el('p', {}, 'No match is being played.'));
		}

		await refresh();
		site.show(el('h1', {}, 'Live'), el('p', {class: 'quiet'}, 'Matches being played, as a spectator sees them. '
			+ 'Hands and notes are shown once a set is complete.'), box);
		setInterval(() => !document.hidden && refresh().catch(() => {}), REFRESH_MS);
	}

	/* The stream begins anew after a lost connection, and so does the viewer. */
	function follow(site, set, rotation) {
		const board = el('div', {class: 'box'}), state = el('p', {class: 'quiet', role: 'status'}, 'waiting for the match');
		const source = new EventSource(`api/${site.ladder.id}/live/${set}-${rotation}`);
		let viewer = null, head = null, steps = [], timer = 0;

		/* What arrives together is drawn once. */
		function draw() {
			timer = 0;
			if (head) {
				if (viewer)
					viewer.destroy();
				viewer = window.replay = Pigpen.mount(board, {head, steps}, {follow: true});
			} else {
				steps.forEach(step => viewer.append(step));
			}
			head = null;
			steps = [];
		}

		source.addEventListener('head', event => {
			[head, steps] = [JSON.parse(event.data), []];
			timer = timer || setTimeout(draw, GATHER_MS);
			state.textContent = 'being played now';
		});
		source.addEventListener('step', event => {
			steps.push(JSON.parse(event.data));
			timer = timer || setTimeout(draw, GATHER_MS);
		});
		source.addEventListener('end', () => {
			source.close();
			state.replaceChildren('It is over. ', el('a', {href: site.to('match', {set, rotation})},
				'All cards'), ' are shown once the whole set is complete.');
		});
		source.onerror = () => {
			if (source.readyState === EventSource.CLOSED)
				state.replaceChildren('This match is not being played, or not any more. ',
					el('a', {href: site.to('match', {set, rotation})}, 'Is it complete?'));
		};
		site.show(el('h1', {}, `Live: match ${set}-${rotation}`), state, board);
	}

	Site.page(async site => {
		const set = Number(query.get('set'));

		if (set)
			follow(site, set, Number(query.get('rotation')) || 0);
		else
			await list(site);
	});
})();
