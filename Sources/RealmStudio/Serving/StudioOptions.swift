// SPDX-License-Identifier: Apache-2.0

// The choices of the command line for Studio.

#if Tools
/// The files of Studio, and how to serve them.
package struct StudioOptions: Sendable {
  package var files: [StudioFile]
  /// Whether the page may write. Reading alone changes no data.
  package var isWritable: Bool
  /// The port on 127.0.0.1; 0 for any free one.
  package var port: Int

  package init(files: [StudioFile], isWritable: Bool = false, port: Int = 0) {
    self.files = files
    self.isWritable = isWritable
    self.port = port
  }
}
#endif
