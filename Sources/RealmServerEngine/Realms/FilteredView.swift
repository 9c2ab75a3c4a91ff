// SPDX-License-Identifier: Apache-2.0

// The filters of a client's view, as they are stored with its file.

import RealmSyncProtocol

/// A client and the filters of its view after a bootstrap.
struct FilteredView {
  let file: FileIdentifier
  /// Nil where everything may be read.
  let filters: ReadFilters?
}

extension ClientFile {
  /// The filters that the client's view was made with.
  func viewFilters() throws(StoreError) -> ViewFilters {
    guard let known = ViewFilters(filters) else {
      throw .damaged("the filters of file \(ident.rawValue)")
    }
    return known
  }
}
