// SPDX-License-Identifier: Apache-2.0

// What a client in flexible mode is sent.

/// The messages that take a client to a version of the realm, and perhaps to another query there.
package struct FlexibleDownload: Hashable, Sendable {
  /// The steady state, with the query that the client has.
  package var round: Download
  /// The bootstrap of the new query, which is sent after it; nil if the query stays.
  package var bootstrap: Download?

  /// The size of a round above which it is sent in several messages, as a bootstrap of the active
  /// query (P4 B.4): a client that stopped in the middle of the messages of steady state would hold
  /// states of a version that its cursor has not reached.
  package static let roundByteCountMax = 4 << 20

  /// Whether the round is too large for one message.
  package var isRoundDivided: Bool { round.byteCount > Self.roundByteCountMax }

  package init(round: Download, bootstrap: Download? = nil) {
    self.round = round
    self.bootstrap = bootstrap
  }
}
