// SPDX-License-Identifier: Apache-2.0

// Where the pages of an encrypted database are in its file (file format 2.8.1).

/// The arithmetic between the decrypted image and the file.
///
/// A block of the file is a page of 64 entries, and the 64 pages of the image that they describe.
enum EncryptedLayout {
  static let pageByteCount = 4096
  static let pagesPerBlock = 64
  static let blockByteCount = (pagesPerBlock + 1) * pageByteCount

  /// Where a page of the image is in the file.
  static func position(ofPage page: Int) -> Int {
    (page + page / pagesPerBlock + 1) * pageByteCount
  }

  /// Where the entries of a block begin.
  static func position(ofBlock block: Int) -> Int { block * blockByteCount }

  /// The length of the file of an image, whose length is a multiple of the page.
  static func fileByteCount(image: Int) -> Int {
    image + (image / pageByteCount / pagesPerBlock + 1) * pageByteCount
  }

  /// The length of the image in a file, whose last incomplete page does not count.
  static func imageByteCount(file: Int) -> Int {
    let pages = file / pageByteCount
    return (pages - (pages + pagesPerBlock) / (pagesPerBlock + 1)) * pageByteCount
  }

  /// `byteCount` filled up to a whole page.
  static func roundedUp(_ byteCount: Int) -> Int {
    (byteCount + pageByteCount - 1) & ~(pageByteCount - 1)
  }
}
