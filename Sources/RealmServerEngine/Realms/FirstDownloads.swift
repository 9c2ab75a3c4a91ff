// SPDX-License-Identifier: Apache-2.0

// Unfinished first downloads.

import RealmSyncProtocol

/// The first downloads of a realm between their beginning and their end.
///
/// If there are many, the longest idle ones are forgotten: each keeps a version of the file. A
/// client without one gets the state from its beginning.
struct FirstDownloads {
  private static let countMax = 64

  /// In the order of their last use.
  private var downloads: [(file: FileIdentifier, download: FirstDownload)] = []

  /// Takes the download of a client; nil if there is none.
  mutating func take(_ file: FileIdentifier) -> FirstDownload? {
    guard let place = downloads.firstIndex(where: { $0.file == file }) else { return nil }
    return downloads.remove(at: place).download
  }

  mutating func keep(_ download: FirstDownload, for file: FileIdentifier) {
    downloads.append((file, download))
    if downloads.count > Self.countMax { downloads.removeFirst() }
  }
}
