/*
 * Elements, written as code; the one place that makes them, for the pages and the viewer.
 *
 *     const {el, svg} = Dom;
 *     el('p', {class: 'quiet', onclick: act}, 'so many: ', n, many && svg('svg', {}))
 *
 * An attribute `on…` is a listener; true is an attribute without a value; undefined, null
 * and false leave out an attribute or a child. Lists of children are flattened. A text
 * becomes a text and never markup, whoever wrote it, and characters in it that would
 * steer what stands beside it or cannot be seen are written out, as \u{202e}.
 */
'use strict';

window.Dom = (() => {
	const SVG = 'http://www.w3.org/2000/svg';
	/* Controls but for tabs and new lines; marks, overrides and isolates of the writing
	 * direction; what has no width; tags. The joiners of scripts and emoji may stay. */
	const UNSEEN = new RegExp('[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b'
		+ '\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}]', 'gu');
	const visible = text => String(text).replace(UNSEEN, one => `\\u{${one.codePointAt(0).toString(16)}}`);
	const isThere = value => value !== undefined && value !== null && value !== false;

	function fill(node, attributes, children) {
		for (const [key, value] of Object.entries(attributes || {}))
			if (key.startsWith('on'))
				node.addEventListener(key.slice(2), value);
			else if (isThere(value))
				node.setAttribute(key, value === true ? '' : visible(value));
		node.append(...children.flat().filter(isThere).map(child =>
			child instanceof Node ? child : visible(child)));
		return node;
	}

	return {
		visible,
		el: (tag, attributes, ...children) =>
			fill(document.createElement(tag), attributes, children),
		svg: (tag, attributes, ...children) =>
			fill(document.createElementNS(SVG, tag), attributes, children),
	};
})();
