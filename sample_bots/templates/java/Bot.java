import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A Pigpen bot. Every line on stdin is a message of the arbiter's as JSON, every line on
 * stdout is one of ours (specs/bridge.md, specs/protocol.md). Print what you like to
 * System.err.
 */
public class Bot {
	private String game;
	private Random random;

	/** The index of the action to take. act.get("view") is all that you may know. */
	private int choose(Map<String, Object> act) {
		List<?> legal = (List<?>) act.get("legal");
		List<Integer> choices = new ArrayList<>();
		for (int i = 0; i < legal.size(); i++) {
			// One idea for a start: a card that is played is better than one thrown away.
			if (game.equals("dirty_pig") && "play".equals(((Map<?, ?>) legal.get(i)).get("a")))
				choices.add(i);
		}
		if (choices.isEmpty())
			return random.nextInt(legal.size());
		return choices.get(random.nextInt(choices.size()));
	}

	/** A match begins. */
	private void begin(Map<String, Object> match) {
		game = (String) match.get("game");
		// A seed for this match: without other randomness it is played the same way again.
		String seed = (String) ((Map<?, ?>) match.get("rng")).get("bin");
		random = new Random(Long.parseUnsignedLong(seed.substring(0, 16), 16));
	}

	private void say(String line) {
		System.out.println(line);
		System.out.flush();
	}

	private void play() throws IOException {
		BufferedReader in = new BufferedReader(
			new InputStreamReader(System.in, StandardCharsets.UTF_8));
		for (String line = in.readLine(); line != null; line = in.readLine()) {
			Map<String, Object> message = Json.object(line);
			Object match = message.get("match");
			switch ((String) message.get("t")) {
			case "match":
				begin(message);
				say("{\"t\":\"ready\",\"match\":" + match + "}");
				break;
			case "act":
				say("{\"t\":\"action\",\"match\":" + match + ",\"turn\":"
					+ message.get("turn") + ",\"choice\":" + choose(message) + "}");
				break;
			case "bye":
				return;
			default:
				break;
			}
		}
	}

	public static void main(String[] args) throws IOException {
		new Bot().play();
	}
}
