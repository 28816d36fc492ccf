/** Jobs about the bytes of files, by the names that commands ask for them. */
export const checkUploadJob = 'files.check_upload'
export const scanJob = 'files.scan'
export const discardBytesJob = 'files.discard_bytes'
