// SPDX-License-Identifier: Apache-2.0

// Where the operator finds the page of the running server.

#if Server
import Foundation

/// The address of the page, with its token, in a file for the owner of the folder alone.
package enum AdminAddress {
  static func path(_ directory: String) -> String { directory + "/admin" }

  /// The address; nil if no server with a page uses the folder.
  package static func read(_ directory: String) -> String? {
    // A server that was killed leaves the file.
    guard let data = FileManager.default.contents(atPath: path(directory)),
      !DirectoryLock.isFree(directory)
    else { return nil }
    return String(decoding: data, as: UTF8.self)
  }
}
#endif
