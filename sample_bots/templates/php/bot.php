<?php
// A Pigpen bot: choose() decides, the rest is the protocol (specs/protocol.md).

// The index of the action to take. $act holds view, all that you may know, and legal, all
// that you may do; $match holds game, seat, seats, options.
function choose(array $match, array $act): int
{
	$choices = array_keys($act['legal']);
	if ($match['game'] === 'dirty_pig') {
		// One idea for a start: a card that is played is better than one thrown away.
		$plays = array_keys(array_filter($act['legal'], fn($a) => $a['a'] === 'play'));
		$choices = $plays ?: $choices;
	}
	return $choices[mt_rand(0, count($choices) - 1)];
}

$socket = (new ZMQContext())->getSocket(ZMQ::SOCKET_DEALER);
$socket->connect(getenv('PIGPEN_ENDPOINT'));
$say = fn(array $message) => $socket->send(msgpack_pack($message));

$say(['t' => 'hello', 'v' => [1], 'token' => getenv('PIGPEN_TOKEN'), 'name' => '@NAME@',
	'version' => '1', 'lang' => 'php']);
$match = [];
while (true) {
	$frame = $socket->recv();
	if ($frame === '')
		continue; // only asks whether we are there
	$message = msgpack_unpack($frame);
	switch ($message['t']) {
	case 'match':
		$match = $message;
		// A seed for this match: a bot that uses no other randomness plays it again the
		// same way.
		mt_srand(unpack('V', $message['rng'])[1]);
		$say(['t' => 'ready', 'match' => $message['match']]);
		break;
	case 'act':
		$say(['t' => 'action', 'match' => $message['match'],
			'turn' => $message['turn'], 'choice' => choose($match, $message)]);
		break;
	case 'end':
		// $message['result'] tells how it went; print what you like, but to stderr.
		break;
	case 'error':
		if (!isset($message['match'])) {
			fwrite(STDERR, "{$message['code']}: {$message['why']}\n");
			exit(1);
		}
		break;
	case 'bye':
		exit(0);
	}
}
