/* The state of a submission, which is requested again until it is final. */
'use strict';

(() => {
	const {el} = Dom;
	const {table, query, time} = Site;
	const AGAIN_MS = 1000;
	const WORDS = {
		queued: 'It is waiting for its turn.',
		building: 'It is being unpacked and built.',
		checking: 'It is being checked: single messages first, then whole matches.',
		accepted: 'It has passed and enters the ladder; a running ladder adds it before its next epoch.',
		refused: 'It was refused.',
	};
	const SIGNS = {pass: '✓', fail: '✗', skip: '–'};

	function step(one) {
		return el('tr', {class: one.verdict === 'skip' ? 'out' : undefined},
			el('td', {class: one.verdict === 'fail' ? 'bad' : undefined},
				el('span', {'aria-hidden': 'true'}, SIGNS[one.verdict] + ' '), one.verdict),
			el('th', {scope: 'row'}, one.name),
			el('td', {class: 'name'}, one.why, one.output && el('pre', {}, one.output),
				one.bytes && el('pre', {}, 'it sent: ' + one.bytes)));
	}

	function report(check) {
		if (!check)
			return null;
		if (typeof check === 'string')
			return el('section', {class: 'box'}, el('h2', {}, 'The check wrote'), el('pre', {}, check));
		const failed = check.steps.filter(one => one.verdict === 'fail').length;

		return el('section', {class: 'box scroll', tabindex: '0', 'aria-label': 'Conformance report'},
			el('h2', {}, 'Conformance report'),
			el('p', {class: failed ? 'bad' : undefined}, failed ? `${failed} of ${check.steps.length} steps failed.`
				: `${check.steps.length} steps, none failed.`),
			table([['Verdict'], ['Step'], ['']], check.steps.map(step)));
	}

	function draw(site, one) {
		const final = one.state === 'accepted' || one.state === 'refused';

		document.title = `${one.name || 'Submission'}: ${one.state} · Pigpen`;
		site.show(el('h1', {class: 'name'}, one.name || 'Submission', ' ',
			el('span', {class: one.state === 'refused' ? 'tag bad' : 'tag', id: 'state'}, one.state)),
		el('div', {class: 'facts'}, el('span', {}, 'from ', el('b', {}, one.owner)), el('span', {}, time(one.received)),
			el('span', {}, `${one.bytes} bytes`), one.version && el('span', {}, `version ${one.version}`)),
		el('div', {class: 'box', role: 'status'}, el('p', {}, WORDS[one.state],
			one.state === 'queued' && one.before ? ` Before it: ${one.before}.` : null),
		one.why && el('p', {class: 'bad name', id: 'why'}, one.why),
		!final && el('progress', {'aria-label': 'under way'})),
		report(one.check),
		one.build && el('section', {class: 'box'}, el('h2', {}, 'The build wrote'),
			el('pre', {}, typeof one.build === 'string' ? one.build : JSON.stringify(one.build))),
		final && el('p', {}, one.state === 'accepted' ? el('a', {href: site.to('index', {})}, 'to the standings')
			: el('a', {href: site.to('submit', {})}, 'submit another')));
		return final;
	}

	Site.page(async site => {
		const path = `submissions/${encodeURIComponent(query.get('id') || '')}.json`;
		let shown = '';

		for (let final = false; !final;) {
			const one = await site.load(path);

			if (JSON.stringify(one) !== shown)
				final = draw(site, one);
			shown = JSON.stringify(one);
			if (!final)
				await new Promise(resolve => setTimeout(resolve, AGAIN_MS));
		}
	});
})();
