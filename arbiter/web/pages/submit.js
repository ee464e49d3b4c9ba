/* Sending a bot: ladder, archive, token. */
'use strict';

(() => {
	const {el} = Dom;
	const {address, token, authorization} = Site;

	const megabytes = bytes => `${Math.round(bytes / 1048576)} MiB`;

	function field(id, title, input, hint) {
		input.id = id;
		input.setAttribute('aria-describedby', id + '-hint');
		return el('div', {class: 'field'}, el('label', {for: id}, title), input,
			el('p', {class: 'quiet', id: id + '-hint'}, hint));
	}

	/* fetch() does not report progress. */
	function send(ladder, file, text, progress) {
		return new Promise((resolve, reject) => {
			const request = new XMLHttpRequest();

			request.open('POST', `api/${encodeURIComponent(ladder)}/submit`);
			for (const [name, value] of Object.entries(authorization(text)))
				request.setRequestHeader(name, value);
			request.setRequestHeader('Content-Type', 'application/octet-stream');
			request.responseType = 'json';
			request.upload.onprogress = event => progress(event.loaded / event.total);
			request.onload = () => request.status === 202 ? resolve(request.response.id)
				: reject(new Error(request.response && request.response.error || `The server answered ${request.status}.`));
			request.onerror = () => reject(new Error('The connection was lost. Try again.'));
			request.send(file);
		});
	}

	/* Checks first what would be refused: browsers do not show an answer that comes while they
	 * still send. */
	async function settle(site, ladder, file, text) {
		if (file.size > site.submit)
			throw new Error(`The file has ${megabytes(file.size)}; at most ${megabytes(site.submit)} are accepted.`);
		const answer = await fetch(`api/${encodeURIComponent(ladder)}/history.json`, {headers: authorization(text)});

		if (answer.status === 401)
			throw new Error('This ladder does not know the token, or it was revoked.');
	}

	function form(site) {
		const ladder = el('select', {}, ...site.ladders.map(one => el('option',
			{value: one.id, selected: one === site.ladder}, `${one.id}: ${one.title}`)));
		const file = el('input', {type: 'file', required: true, accept: '.tar,.gz,.tgz,.bz2,.xz,.zst,.zip'});
		const secret = el('input', {type: 'password', required: true, autocomplete: 'off', spellcheck: 'false',
			maxlength: 100, value: token.get(site.ladder.id) || undefined});
		const button = el('button', {class: 'main'}, 'Submit');
		const bar = el('progress', {max: 1, value: 0, hidden: true, 'aria-label': 'Sent'});
		const words = el('p', {class: 'bad', role: 'alert'});

		async function submit(event) {
			const text = secret.value.trim();

			event.preventDefault();
			words.textContent = '';
			button.disabled = true;
			try {
				await settle(site, ladder.value, file.files[0], text);
				bar.hidden = false;
				const id = await send(ladder.value, file.files[0], text, share => {
					bar.value = share;
				});

				token.set(ladder.value, text);
				location.href = address('submission', {ladder: ladder.value, id});
			} catch (error) {
				words.textContent = error.message;
				bar.hidden = true;
				button.disabled = false;
			}
		}

		ladder.addEventListener('change', () => {
			secret.value = token.get(ladder.value) || '';
		});
		return el('form', {class: 'box form', onsubmit: submit},
			field('ladder', 'Ladder', ladder, 'Where the bot is to play.'),
			field('file', 'Archive', file, `tar or zip, also .tar.gz, .bz2, .xz, .zst; at most ${megabytes(site.submit)}. `
				+ 'bot.json lies at the top or in the only folder. No links.'),
			field('token', 'Token', secret, 'From the host of the ladder. It is stored until this tab is closed.'),
			el('div', {class: 'actions'}, button, bar), words);
	}

	Site.page(async site => {
		if (!site.submit) {
			site.show(el('h1', {}, 'Submit a bot'), el('p', {class: 'box'}, 'Bots cannot be submitted here.'));
			return;
		}
		site.show(el('h1', {}, 'Submit a bot'),
			el('p', {}, 'It is unpacked, built and checked in a sandbox, as by ', el('code', {}, 'pigpen check'),
				'. If it passes it enters the ladder; it replaces a bot of the same name.'), form(site));
	});
})();
