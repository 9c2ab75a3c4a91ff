// SPDX-License-Identifier: Apache-2.0

// The members of `IndexPath` that UIKit and AppKit add on Apple's systems, for other systems.

#if !canImport(Darwin)
public import Foundation

extension IndexPath {
  /// The path of an item in a section.
  public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

  /// The path of a row in a section.
  public init(row: Int, section: Int) { self.init(indexes: [section, row]) }

  /// The position of the section.
  public var section: Int {
    get { self[0] }
    set { self[0] = newValue }
  }

  /// The position of the item in its section.
  public var item: Int {
    get { self[1] }
    set { self[1] = newValue }
  }

  /// The position of the row in its section.
  public var row: Int {
    get { self[1] }
    set { self[1] = newValue }
  }
}
#endif
