// SPDX-License-Identifier: Apache-2.0

// Downloads in flexible mode.

/// The messages for taking a client to a version of the realm, and perhaps to another query there.
package struct FlexibleDownload: Hashable, Sendable {
  /// The steady state, with the client's present query.
  package var round: Download
  /// The bootstrap of the new query, sent after it; nil if the query stays.
  package var bootstrap: Download?

  package init(round: Download, bootstrap: Download? = nil) {
    self.round = round
    self.bootstrap = bootstrap
  }
}
