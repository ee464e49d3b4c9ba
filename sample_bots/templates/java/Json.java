import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads JSON: Map, List, String, Long, Double, Boolean, null. */
final class Json {
	private final String text;
	private int at;

	private Json(String text) {
		this.text = text;
	}

	/** The object that a line holds. */
	@SuppressWarnings("unchecked")
	static Map<String, Object> object(String line) {
		return (Map<String, Object>) new Json(line).value();
	}

	private char peek() {
		while (Character.isWhitespace(text.charAt(at)))
			at++;
		return text.charAt(at);
	}

	private void skip(char expected) {
		if (peek() != expected)
			throw new IllegalArgumentException("no " + expected + " at " + at + ": " + text);
		at++;
	}

	private Object value() {
		switch (peek()) {
		case '{':
			return map();
		case '[':
			return list();
		case '"':
			return string();
		default:
			return word();
		}
	}

	private Map<String, Object> map() {
		Map<String, Object> map = new LinkedHashMap<>();
		skip('{');
		while (peek() != '}') {
			String key = string();
			skip(':');
			map.put(key, value());
			if (peek() == ',')
				at++;
		}
		at++;
		return map;
	}

	private List<Object> list() {
		List<Object> list = new ArrayList<>();
		skip('[');
		while (peek() != ']') {
			list.add(value());
			if (peek() == ',')
				at++;
		}
		at++;
		return list;
	}

	private String string() {
		StringBuilder result = new StringBuilder();
		skip('"');
		while (text.charAt(at) != '"') {
			char c = text.charAt(at++);
			result.append(c == '\\' ? escaped() : c);
		}
		at++;
		return result.toString();
	}

	private char escaped() {
		char c = text.charAt(at++);
		switch (c) {
		case 'n':
			return '\n';
		case 't':
			return '\t';
		case 'r':
			return '\r';
		case 'b':
			return '\b';
		case 'f':
			return '\f';
		case 'u':
			at += 4;
			return (char) Integer.parseInt(text.substring(at - 4, at), 16);
		default:
			return c;
		}
	}

	private Object word() {
		int start = at;
		while (at < text.length() && ",]} \t".indexOf(text.charAt(at)) < 0)
			at++;
		String word = text.substring(start, at);
		switch (word) {
		case "true":
			return true;
		case "false":
			return false;
		case "null":
			return null;
		default:
			if (word.matches("-?[0-9]+"))
				return Long.valueOf(word);
			return Double.valueOf(word);
		}
	}
}
