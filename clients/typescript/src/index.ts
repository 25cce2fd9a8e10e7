/** The API's version that this client speaks. */
export const API_PATH = '/api/0.1';
