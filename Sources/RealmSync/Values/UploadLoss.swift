// SPDX-License-Identifier: Apache-2.0

// What changes that wait for their upload have lost.

/// The instructions that a merge with changes of the server has dropped.
package struct UploadLoss: Hashable, Sendable {
  package let instructionCount: Int
  /// The version of the server with which the file was merged.
  package let serverVersion: UInt64

  package init(instructionCount: Int, serverVersion: UInt64) {
    self.instructionCount = instructionCount
    self.serverVersion = serverVersion
  }
}

extension UploadLoss: CustomStringConvertible {
  package var description: String {
    "\(instructionCount) instructions that wait for their upload are dropped: changes up to "
      + "version \(serverVersion) of the server take precedence"
  }
}
