/*
 * Elements, written as code; the one place that makes them, for the pages and the viewer.
 *
 *     const {el, svg} = Dom;
 *     el('p', {class: 'quiet', onclick: act}, 'so many: ', n, many && svg('svg', {}))
 *
 * An attribute `on…` is a listener; true is an attribute without a value; undefined, null
 * and false leave out an attribute or a child. Lists of children are flattened. A text
 * becomes a text and never markup, whoever wrote it.
 */
'use strict';

window.Dom = (() => {
	const SVG = 'http://www.w3.org/2000/svg';
	const isThere = value => value !== undefined && value !== null && value !== false;

	function fill(node, attributes, children) {
		for (const [key, value] of Object.entries(attributes || {}))
			if (key.startsWith('on'))
				node.addEventListener(key.slice(2), value);
			else if (isThere(value))
				node.setAttribute(key, value === true ? '' : value);
		node.append(...children.flat().filter(isThere));
		return node;
	}

	return {
		el: (tag, attributes, ...children) =>
			fill(document.createElement(tag), attributes, children),
		svg: (tag, attributes, ...children) =>
			fill(document.createElementNS(SVG, tag), attributes, children),
	};
})();
