# A Pigpen bot: choose() decides, the rest is the protocol (specs/protocol.md).
use strict;
use warnings;
use Data::MessagePack;
use ZMQ::FFI;
use ZMQ::FFI::Constants qw(ZMQ_DEALER);

# The index of the action to take. $act holds view, all that you may know, and legal, all
# that you may do; $match holds game, seat, seats, options.
sub choose {
	my ($match, $act) = @_;
	my @choices = 0 .. $#{$act->{legal}};
	if ($match->{game} eq 'dirty_pig') {
		# One idea for a start: a card that is played is better than one thrown away.
		my @plays = grep { $act->{legal}[$_]{a} eq 'play' } @choices;
		@choices = @plays if @plays;
	}
	return $choices[int rand @choices];
}

my $msgpack = Data::MessagePack->new->utf8;
my $context = ZMQ::FFI->new; # must live as long as the socket
my $socket = $context->socket(ZMQ_DEALER);
$socket->connect($ENV{PIGPEN_ENDPOINT} // die "PIGPEN_ENDPOINT is not set\n");

sub say_it { $socket->send($msgpack->pack({@_})) }

say_it(t => 'hello', v => [1], token => $ENV{PIGPEN_TOKEN}, name => '@NAME@',
	version => "1", lang => 'perl');
my $match;
while (1) {
	my $frame = $socket->recv;
	next if $frame eq ''; # only asks whether we are there
	my $message = Data::MessagePack->unpack($frame);
	my $type = $message->{t};
	if ($type eq 'match') {
		$match = $message;
		# A seed for this match: a bot that uses no other randomness plays it again the
		# same way.
		srand unpack 'L<', $message->{rng};
		say_it(t => 'ready', match => $message->{match});
	} elsif ($type eq 'act') {
		say_it(t => 'action', match => $message->{match}, turn => $message->{turn},
			choice => choose($match, $message));
	} elsif ($type eq 'error' && !defined $message->{match}) {
		die "$message->{code}: $message->{why}\n";
	} elsif ($type eq 'bye') {
		last;
	}
}
